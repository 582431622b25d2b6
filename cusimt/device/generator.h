// Random number generators of the device: torch.Generator(device="cuda") and torch.cuda.manual_seed.
#pragma once

#include <ATen/core/Generator.h>

namespace cusimt::device {

const at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);

// The CPU engine inside a device generator, for the CPU kernel that draws on its behalf.
at::Generator engine_of(const at::Generator& device_generator);

}  // namespace cusimt::device
