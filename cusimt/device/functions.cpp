// c10/cuda/CUDAFunctions.h: which device is current on this thread.
#include "../include/simt_api.h"

#include <c10/cuda/CUDAFunctions.h>

namespace c10::cuda {

DeviceIndex device_count() noexcept { return static_cast<DeviceIndex>(simt_device_count()); }

DeviceIndex device_count_ensure_non_zero() { return device_count(); }

DeviceIndex current_device() { return static_cast<DeviceIndex>(simt_get_device()); }

void set_device(DeviceIndex device, const bool force) { C10_CUDA_CHECK(SetDevice(device, force)); }

void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }

void warn_or_error_on_sync() {
    if (warning_state().get_sync_debug_mode() == SyncDebugMode::L_ERROR) {
        TORCH_CHECK(false, "called a synchronizing CUDA operation");
    } else if (warning_state().get_sync_debug_mode() == SyncDebugMode::L_WARN) {
        TORCH_WARN("called a synchronizing CUDA operation");
    }
}

cudaError_t GetDeviceCount(int* dev_count) {
    *dev_count = simt_device_count();
    return cudaSuccess;
}

cudaError_t GetDevice(DeviceIndex* device) {
    *device = current_device();
    return cudaSuccess;
}

cudaError_t SetDevice(DeviceIndex device, const bool /*force*/) {
    TORCH_CHECK(device >= 0, "device id must be non-negative!", static_cast<int>(device));
    return static_cast<cudaError_t>(simt_set_device(device));
}

cudaError_t MaybeSetDevice(DeviceIndex device) { return SetDevice(device); }

DeviceIndex ExchangeDevice(DeviceIndex device) {
    const DeviceIndex before = current_device();
    if (device != before) {
        set_device(device);
    }
    return before;
}

DeviceIndex MaybeExchangeDevice(DeviceIndex device) { return ExchangeDevice(device); }

void SetTargetDevice() {}  // a device set on this thread is set at once

bool hasPrimaryContext(DeviceIndex device_index) { return device_index >= 0 && device_index < device_count(); }

std::optional<DeviceIndex> getDeviceIndexWithPrimaryContext() { return current_device(); }

}  // namespace c10::cuda
