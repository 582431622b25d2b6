// cuBLAS: products of matrices, alone and in batches.
#include <string>

#include "blas_product.h"
#include "library_refusals.h"

using namespace simt;

namespace {

struct Scalars {
    const void *alpha, *beta;
    cublasComputeType_t compute;
};

bool uses_tf32(cublasHandle_t handle, const Product& product, cublasComputeType_t compute) {
    bool by_handle = compute == CUBLAS_COMPUTE_32F && handle->math_mode == CUBLAS_TF32_TENSOR_OP_MATH;
    return are_floats(product) && (compute == CUBLAS_COMPUTE_32F_FAST_TF32 || by_handle);
}

// `count` products; `place(i, product)` says where the matrices of number i lie.
template <class Place>
cublasStatus_t run(cublasHandle_t handle, Product product, const Scalars& scalars, int count, Place place) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    explain_refusal("");
    if (!scalars.alpha || !scalars.beta)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, std::string(scalars.alpha ? "beta" : "alpha") + " is a null pointer");
    if (count < 0) return negative("batchCount", count);
    if (cublasStatus_t status = refusal_of(product, scalars.compute)) return status;
    BlasCall call("cuBLAS gemm", handle, 2.0 * product.m * product.n * product.k * count);
    if (simt_library_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    product.alpha = scalar(scalars.alpha, type_of(scalars.compute));
    product.beta = scalar(scalars.beta, type_of(scalars.compute));
    product.is_tf32 = uses_tf32(handle, product, scalars.compute);
    for (int i = 0; i < count; ++i) {
        place(i, product);
        if (cublasStatus_t status = multiply(product, i)) return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                                          int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                          long long int stride_a, const void* b, cudaDataType type_b, int ldb,
                                          long long int stride_b, const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long int stride_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    Operand first_a = operand(a, type_a, lda, op_a), first_b = operand(b, type_b, ldb, op_b), first_c = operand(c, type_c, ldc);
    Product product{m, n, k, 1, 0, first_a, first_b, first_c};
    return run(handle, product, {alpha, beta, compute}, count, [&](int i, Product& next) {
        next.a.data = first_a.at(i * stride_a);
        next.b.data = first_b.at(i * stride_b);
        next.c.data = first_c.at(i * stride_c);
    });
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                   const void* alpha, const void* const a[], cudaDataType type_a, int lda,
                                   const void* const b[], cudaDataType type_b, int ldb, const void* beta, void* const c[],
                                   cudaDataType type_c, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    Product product{
        m, n, k, 1, 0, operand(nullptr, type_a, lda, op_a), operand(nullptr, type_b, ldb, op_b), operand(nullptr, type_c, ldc)};
    return run(handle, product, {alpha, beta, compute}, count, [&](int i, Product& next) {
        next.a.data = const_cast<void*>(a[i]);
        next.b.data = const_cast<void*>(b[i]);
        next.c.data = c[i];
    });
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b,
                            int ldb, const void* beta, void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                                      ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc) {
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

#define SIMT_BLAS(X, T, TYPE, COMPUTE)                                                                                         \
    cublasStatus_t cublas##X##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, \
                                                 int n, int k, const T* alpha, const T* a, int lda, long long int stride_a,    \
                                                 const T* b, int ldb, long long int stride_b, const T* beta, T* c, int ldc,    \
                                                 long long int stride_c, int count) {                                          \
        return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, TYPE, lda, stride_a, b, TYPE, ldb, stride_b,  \
                                          beta, c, TYPE, ldc, stride_c, count, COMPUTE, CUBLAS_GEMM_DEFAULT);                  \
    }                                                                                                                          \
    cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, \
                                   const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {   \
        return cublas##X##gemmStridedBatched(handle, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);    \
    }                                                                                                                          \
    cublasStatus_t cublas##X##gemmBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, \
                                          int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,     \
                                          const T* beta, T* const c[], int ldc, int count) {                                   \
        return cublasGemmBatchedEx(handle, op_a, op_b, m, n, k, alpha, reinterpret_cast<const void* const*>(a), TYPE, lda,     \
                                   reinterpret_cast<const void* const*>(b), TYPE, ldb, beta,                                   \
                                   reinterpret_cast<void* const*>(c), TYPE, ldc, count, COMPUTE, CUBLAS_GEMM_DEFAULT);         \
    }
SIMT_BLAS(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
SIMT_BLAS(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
SIMT_BLAS(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
}
