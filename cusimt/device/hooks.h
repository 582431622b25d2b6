// Registers the CUDA hooks, through which the CPU side of PyTorch reaches the simulated device.
#pragma once

namespace cusimt::device {

// Answers PyTorch's questions about CUDA from here on. Call it after libtorch_cuda, if there is one, has registered its
// own hooks, and before the first query.
void register_hooks();

}  // namespace cusimt::device
