// The simulated device: the one that the environment names (CUSIMT_DEVICE), else an H200. What all devices have in common
// is in device_limits.h.
#pragma once
#include <stddef.h>

namespace simt {

struct DeviceModel {
    const char* key;  // as the environment names it; cusimt/gpu_models.py has the same keys
    const char* name;
    int major, minor;
    int multiprocessors;
    int threads_per_multiprocessor, blocks_per_multiprocessor;
    size_t shared_per_multiprocessor, shared_per_block_optin, reserved_shared_per_block;
    int l2_bytes;
    int clock_khz, memory_clock_khz, memory_bus_bits;
};

const DeviceModel& device_model();

}  // namespace simt
