// cuBLAS: the dot product of vectors whose type is named at run time.
#include "blas.h"
#include "simt/small_float.h"

using namespace simt;

namespace {
size_t bytes_of(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F:
        case CUDA_R_16BF: return 2;
        case CUDA_R_32F: return 4;
        case CUDA_R_64F: return 8;
        default: return 0;
    }
}

double number(const char* at, cudaDataType type) {
    if (type == CUDA_R_64F) return *reinterpret_cast<const double*>(at);
    if (type == CUDA_R_32F) return *reinterpret_cast<const float*>(at);
    auto bits = *reinterpret_cast<const uint16_t*>(at);
    return type == CUDA_R_16F ? decode<5, 10>(bits) : decode<8, 7>(bits);
}

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
    if (simt_sticky_error() || !there) return CUBLAS_STATUS_EXECUTION_FAILED;
    auto at = [&](const void* vector, int step, size_t i) {
        size_t index = step < 0 ? (count - 1 - i) * size_t(-step) : i * size_t(step);
        return number(static_cast<const char*>(vector) + index * bytes, type_x);
    };
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += at(x, incx, i) * at(y, incy, i);
    switch (type_result) {
        case CUDA_R_64F: give(static_cast<double*>(result), sum); break;
        case CUDA_R_32F: give(static_cast<float*>(result), float(sum)); break;
        case CUDA_R_16F: give(static_cast<uint16_t*>(result), uint16_t(encode<5, 10>(sum))); break;
        default: give(static_cast<uint16_t*>(result), uint16_t(encode<8, 7>(sum)));
    }
    return CUBLAS_STATUS_SUCCESS;
}
