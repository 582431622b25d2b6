// Registers operators for which a CUDA build has implementations of its own.
#pragma once

#include <torch/library.h>

namespace cusimt::device {

// Operators that PyTorch calls for CUDA tensors only, so that the CPU has no kernel to run in their place.
void register_substitutes(torch::Library& aten);

}  // namespace cusimt::device
