// What the parts of cuBLAS share: handles, and scalar results.
//
// A result depends on nothing but its arguments: sums run in the order of their index, in float for 16-bit elements.
#pragma once
#include <string.h>

#include "cublas_v2.h"
#include "library_call.h"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace simt {

class BlasCall : public LibraryCall {
  public:
    BlasCall(const char* name, cublasHandle_t handle, double operations) : LibraryCall(name, handle->stream, operations) {}
};

// A scalar result: on the device with CUBLAS_POINTER_MODE_DEVICE, else on the host.
template <class T>
void give(T* result, T value) {
    memcpy(result, &value, sizeof value);
    if (simt_is_device_pointer(result)) simt_mark_written(result, sizeof value, SIMT_LIBRARY);
}

}  // namespace simt
