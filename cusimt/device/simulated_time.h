// A model of how long library work takes on a GPU, so that events around it have distinct times.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>

namespace cusimt::device {

// Time passes on the current stream of `device`: a launch, and `bytes` read and written at the bandwidth of its memory.
void pass_kernel_time(c10::DeviceIndex device, size_t bytes);

// A copy of `bytes`: within the device at the same bandwidth, between host and device over PCI Express.
void pass_copy_time(c10::DeviceIndex device, size_t bytes, bool within_device);

}  // namespace cusimt::device
