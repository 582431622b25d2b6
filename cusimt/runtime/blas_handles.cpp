// cuBLAS: handles and their settings, and copies of vectors and matrices.
#include <new>

#include "blas.h"
#include "library_refusals.h"

using namespace simt;

namespace {

template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::* setting, T value) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->*setting = value;
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::* setting, T* value) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!value) return CUBLAS_STATUS_INVALID_VALUE;
    *value = handle->*setting;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t copied(cudaError_t error) { return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS; }

// `rows` times `width` bytes; rows `to_pitch` and `from_pitch` bytes apart.
cublasStatus_t copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, int width, int rows, cudaMemcpyKind kind) {
    if (width < 0 || rows < 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (width == 0 || rows == 0) return CUBLAS_STATUS_SUCCESS;
    return copied(cudaMemcpy2D(to, to_pitch, from, from_pitch, size_t(width), size_t(rows), kind));
}

}  // namespace

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    log_api_call({.call = "cublasCreate", .kind = "handle"});
    *handle = static_cast<cublasHandle_t>(simt_blas_handle());
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

void* simt_blas_handle(void) { return new (std::nothrow) cublasContext; }

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    return set(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
    return get(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    return set(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    return set(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return get(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
    return set(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
    return get(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t) {
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;  // none is needed
}

const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
        case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
    }
    return "CUBLAS_STATUS_UNKNOWN";
}
const char* cublasGetStatusString(cublasStatus_t status) {
    const char* name = cublasGetStatusName(status);
    return status == CUBLAS_STATUS_SUCCESS ? name : with_refusal(name);
}

cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* device, int device_inc) {
    return copy(device, size_t(device_inc) * bytes, x, size_t(incx) * bytes, bytes, n, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int bytes, const void* device, int device_inc, void* x, int incx) {
    return copy(x, size_t(incx) * bytes, device, size_t(device_inc) * bytes, bytes, n, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void* a, int lda, void* device, int ldd) {
    return copy(device, size_t(ldd) * bytes, a, size_t(lda) * bytes, rows * bytes, cols, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void* device, int ldd, void* a, int lda) {
    return copy(a, size_t(lda) * bytes, device, size_t(ldd) * bytes, rows * bytes, cols, cudaMemcpyDeviceToHost);
}
}
