// Reports the bytes that library work on the current stream reads and writes to the runtime, which checks stream order.
#pragma once

#include <ATen/core/Tensor.h>

namespace cusimt::device {

// The bytes of a device tensor's elements; anything else is passed over. `name` outlives the call. The stream is the current one
// of `device`, which is current; without it, that of the tensor's device.
void touch_on_stream(const at::Tensor& tensor, bool writes, const char* name, c10::DeviceIndex device = -1);

}  // namespace cusimt::device
