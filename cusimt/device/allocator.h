// PyTorch's allocator of device memory, over the runtime's arena.
#pragma once

#include <c10/core/Storage.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstddef>

namespace cusimt::device {

constexpr int kMostDevices = 16;  // room in the tables that are kept per device

c10::cuda::CUDACachingAllocator::CUDAAllocator& arena();

// `bytes` of device memory as a DataPtr that says it lives on `reported`: the device itself, or the CPU for the host's
// view of it (host_view.h). Raises c10::OutOfMemoryError.
c10::DataPtr allocate_in_arena(c10::DeviceIndex device, size_t bytes, c10::Device reported);

}  // namespace cusimt::device
