// cuBLAS in float, double and half: vectors, matrix times vector, and the products of matrices in every form that has its
// operands' types as arguments. Column-major, as everywhere in BLAS. Computed on the host by the runtime (runtime/blas_*.cpp).
#pragma once
#define CUBLAS_V2_H_  // as in CUDA: by this other headers know that it is included
#define CUBLAS_API_H_
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif
#include "library_types.h"
#include "simt/blas_v2_names.h"

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 130000

typedef struct cublasContext* cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO3 = 3,
    CUBLAS_GEMM_ALGO4 = 4,
    CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6,
    CUBLAS_GEMM_ALGO7 = 7,
    CUBLAS_GEMM_ALGO8 = 8,
    CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO10 = 10,
    CUBLAS_GEMM_ALGO11 = 11,
    CUBLAS_GEMM_ALGO12 = 12,
    CUBLAS_GEMM_ALGO13 = 13,
    CUBLAS_GEMM_ALGO14 = 14,
    CUBLAS_GEMM_ALGO15 = 15,
    CUBLAS_GEMM_ALGO16 = 16,
    CUBLAS_GEMM_ALGO17 = 17,
    CUBLAS_GEMM_ALGO18 = 18,
    CUBLAS_GEMM_ALGO19 = 19,
    CUBLAS_GEMM_ALGO20 = 20,
    CUBLAS_GEMM_ALGO21 = 21,
    CUBLAS_GEMM_ALGO22 = 22,
    CUBLAS_GEMM_ALGO23 = 23,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
    CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
    CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
    CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
    CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
    CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
    CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
    CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;

#pragma GCC visibility push(default)
SIMT_BEGIN_C
// ---- handles ----
cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, size_t bytes);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

// ---- vectors and matrices that go to the device and back ----
cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* device, int device_inc);
cublasStatus_t cublasGetVector(int n, int bytes, const void* device, int device_inc, void* x, int incx);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void* a, int lda, void* device, int ldd);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void* device, int ldd, void* a, int lda);

// ---- float (S) and double (D) ----
#define SIMT_BLAS(X, T)                                                                                                   \
    cublasStatus_t cublas##X##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result);                        \
    cublasStatus_t cublas##X##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result);                        \
    cublasStatus_t cublas##X##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result);   \
    cublasStatus_t cublas##X##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);                         \
    cublasStatus_t cublas##X##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy);   \
    cublasStatus_t cublas##X##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy);                   \
    cublasStatus_t cublas##X##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);                         \
    cublasStatus_t cublas##X##gemv(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha, const T* a, \
                                   int lda, const T* x, int incx, const T* beta, T* y, int incy);                         \
    cublasStatus_t cublas##X##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y,  \
                                  int incy, T* a, int lda);                                                               \
    cublasStatus_t cublas##X##geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,   \
                                   const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc);
SIMT_BLAS(S, float)
SIMT_BLAS(D, double)
#undef SIMT_BLAS
cublasStatus_t cublasIsamax(cublasHandle_t handle, int n, const float* x, int incx, int* result);
cublasStatus_t cublasIdamax(cublasHandle_t handle, int n, const double* x, int incx, int* result);
cublasStatus_t cublasIsamin(cublasHandle_t handle, int n, const float* x, int incx, int* result);
cublasStatus_t cublasIdamin(cublasHandle_t handle, int n, const double* x, int incx, int* result);

// ---- products of matrices: C = alpha op(A) op(B) + beta C ----
#define SIMT_BLAS(X, T)                                                                                                        \
    cublasStatus_t cublas##X##gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, \
                                   const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);    \
    cublasStatus_t cublas##X##gemmBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, \
                                          int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb,     \
                                          const T* beta, T* const c[], int ldc, int count);                                    \
    cublasStatus_t cublas##X##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, \
                                                 int n, int k, const T* alpha, const T* a, int lda, long long int stride_a,    \
                                                 const T* b, int ldb, long long int stride_b, const T* beta, T* c, int ldc,    \
                                                 long long int stride_c, int count);
SIMT_BLAS(S, float)
SIMT_BLAS(D, double)
#ifdef __cplusplus
SIMT_BLAS(H, __half)
#endif
#undef SIMT_BLAS
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                             const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b, cudaDataType type_b,
                            int ldb, const void* beta, void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                   const void* alpha, const void* const a[], cudaDataType type_a, int lda,
                                   const void* const b[], cudaDataType type_b, int ldb, const void* beta, void* const c[],
                                   cudaDataType type_c, int ldc, int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                                          int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                          long long int stride_a, const void* b, cudaDataType type_b, int ldb,
                                          long long int stride_b, const void* beta, void* c, cudaDataType type_c, int ldc,
                                          long long int stride_c, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);

// ---- products with symmetric, triangular and diagonal matrices ----
#define SIMT_BLAS(X, T)                                                                                                       \
    cublasStatus_t cublas##X##syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,          \
                                   const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc);                        \
    cublasStatus_t cublas##X##syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,         \
                                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);  \
    cublasStatus_t cublas##X##syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,         \
                                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);  \
    cublasStatus_t cublas##X##symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,         \
                                   const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc);   \
    cublasStatus_t cublas##X##trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
                                   cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, const T* b,  \
                                   int ldb, T* c, int ldc);                                                                   \
    cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda,           \
                                   const T* x, int incx, T* c, int ldc);
SIMT_BLAS(S, float)
SIMT_BLAS(D, double)
#undef SIMT_BLAS

// ---- systems of equations ----
#define SIMT_BLAS(X, T)                                                                                                       \
    cublasStatus_t cublas##X##trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
                                   cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, T* b,        \
                                   int ldb);                                                                                  \
    cublasStatus_t cublas##X##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                \
                                          cublasOperation_t op, cublasDiagType_t diagonal, int m, int n, const T* alpha,      \
                                          const T* const a[], int lda, T* const b[], int ldb, int count);                     \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda, int* pivots, int* info,       \
                                           int count);                                                                        \
    cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T* const a[], int lda, const int* pivots,      \
                                           T* const c[], int ldc, int* info, int count);                                      \
    cublasStatus_t cublas##X##gelsBatched(cublasHandle_t handle, cublasOperation_t op, int m, int n, int columns,             \
                                          T* const a[], int lda, T* const c[], int ldc, int* info, int* infos, int count);
SIMT_BLAS(S, float)
SIMT_BLAS(D, double)
#undef SIMT_BLAS
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                           cudaDataType type_y, int incy, void* result, cudaDataType type_result, cudaDataType compute);
SIMT_END_C
#ifdef __cplusplus
#include "simt/cublas_refusals.h"
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
// Programs older than CUDA 11 give the type to compute in as a type of elements.
inline cublasComputeType_t simt_compute_type(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F: return CUBLAS_COMPUTE_16F;
        case CUDA_R_64F: return CUBLAS_COMPUTE_64F;
        case CUDA_R_32I: return CUBLAS_COMPUTE_32I;
        default: return CUBLAS_COMPUTE_32F;
    }
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                                   const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                                   cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                                   cudaDataType compute, cublasGemmAlgo_t algorithm) {
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                        simt_compute_type(compute), algorithm);
}
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                                 int n, int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                                 long long int stride_a, const void* b, cudaDataType type_b, int ldb,
                                                 long long int stride_b, const void* beta, void* c, cudaDataType type_c,
                                                 int ldc, long long int stride_c, int count, cudaDataType compute,
                                                 cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b,
                                      beta, c, type_c, ldc, stride_c, count, simt_compute_type(compute), algorithm);
}
#endif
