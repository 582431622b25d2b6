// What the parts of cuBLAS share: handles, and device memory as the library reads and writes it.
//
// The library computes on the host, in the launching thread. A result depends on nothing but its arguments: sums run in the
// order of their index, in float for 16-bit elements.
#pragma once
#include <stddef.h>
#include <string.h>

#include "cublas_v2.h"
#include "simt_api.h"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace simt {

// One call of the library: opens the shield, and lets time pass on the handle's stream.
class BlasCall {
public:
    BlasCall(cublasHandle_t handle, double operations) {
        simt_open_shield(1);
        constexpr double kLaunchMicroseconds = 5, kOperationsPerMicrosecond = 30e6;
        simt_stream_work(handle->stream, kLaunchMicroseconds + operations / kOperationsPerMicrosecond);
    }
    ~BlasCall() { simt_open_shield(0); }
    BlasCall(const BlasCall&) = delete;
};

// Does live device, managed or pinned memory hold the `bytes` from `address` on? A GPU would fault where it does not.
inline bool is_accessible(const void* address, size_t bytes) {
    void* base = nullptr;
    size_t size = 0;
    if (bytes == 0) return true;
    if (!simt_allocation(address, &base, &size)) return false;
    return size - static_cast<size_t>(static_cast<const char*>(address) - static_cast<const char*>(base)) >= bytes;
}

// A scalar result: on the device with CUBLAS_POINTER_MODE_DEVICE, else on the host.
template <class T>
void give(T* result, T value) {
    memcpy(result, &value, sizeof value);
    if (simt_is_device_pointer(result)) simt_mark_written(result, sizeof value, SIMT_LIBRARY);
}

}  // namespace simt
