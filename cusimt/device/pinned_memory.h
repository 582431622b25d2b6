// Page-locked host memory: plain memory here, remembered so that Tensor.is_pinned() can tell.
#pragma once

#include <c10/core/Allocator.h>

namespace cusimt::device {

c10::Allocator& pinned_memory();
bool is_pinned(const void* address);

}  // namespace cusimt::device
