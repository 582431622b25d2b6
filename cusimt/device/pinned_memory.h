// Page-locked host memory: ordinary memory, registered so that Tensor.is_pinned() recognises it.
#pragma once

#include <c10/core/Allocator.h>

namespace cusimt::device {

c10::Allocator& pinned_memory();
bool is_pinned(const void* address);

}  // namespace cusimt::device
