// The log of operators and copies on the simulated device, as JSON lines.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <string_view>

namespace cusimt::device {

// `name` is the qualified operator, for example "aten::mm".
void log_operator(std::string_view name, c10::DeviceIndex device);

// A copy between host and device, or from device to device; `converts` when the dtypes differ.
void log_copy(std::string_view name, c10::Device from, c10::Device to, size_t bytes, bool converts);

}  // namespace cusimt::device
