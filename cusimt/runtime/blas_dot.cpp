// cuBLAS: the dot product of vectors whose type is named at run time.
#include "blas.h"
#include "typed_elements.h"

using namespace simt;

namespace {
bool is_supported(cudaDataType type, cudaDataType result, cudaDataType compute) {
    return bytes_of(type) && result == type && compute == (type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F);
}
}  // namespace

extern "C" cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                                      cudaDataType type_y, int incy, void* result, cudaDataType type_result,
                                      cudaDataType compute) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!result) return CUBLAS_STATUS_INVALID_VALUE;
    if (type_x != type_y || !is_supported(type_x, type_result, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
    BlasCall call("cuBLAS dot", handle, 2.0 * n);
    size_t bytes = bytes_of(type_x), count = n > 0 ? size_t(n) : 0;
    auto extent = [&](int step) { return count ? ((count - 1) * size_t(step < 0 ? -step : step) + 1) * bytes : 0; };
    bool there = is_accessible(x, extent(incx)) && is_accessible(y, extent(incy));
    if (simt_library_call_fails() || !there) return CUBLAS_STATUS_EXECUTION_FAILED;
    auto at = [&](const void* vector, int step, size_t i) {
        size_t index = step < 0 ? (count - 1 - i) * size_t(-step) : i * size_t(step);
        return load<double>(type_x, vector, int64_t(index));
    };
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += at(x, incx, i) * at(y, incy, i);
    store(type_result, result, 0, sum);
    if (simt_is_device_pointer(result)) simt_mark_written(result, bytes, SIMT_LIBRARY);
    return CUBLAS_STATUS_SUCCESS;
}
