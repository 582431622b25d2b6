// cuSPARSE's generic interface: sparse matrices as CSR, CSC or COO, times dense vectors and matrices (SpMV, SpMM) and times each
// other (SpGEMM), products sampled at a sparse pattern (SDDMM), triangular systems (SpSV, SpSM), and conversion to dense; of the
// older interface, CSR to CSC and sums of CSR matrices (csrgeam2). Computed on the host by the runtime (runtime/sparse_*.cpp).
// What is not declared here has no simulation. Values of enumerators are those of CUDA 13.0.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"
#include "library_types.h"

#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 2
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)
#define CUSPARSEAPI

typedef struct cusparseContext* cusparseHandle_t;
typedef struct cusparseMatDescr* cusparseMatDescr_t;  // of the older interface
typedef struct cusparseSpMatDescr* cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr* cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr* cusparseDnVecDescr_t;
typedef struct cusparseSpGEMMDescr* cusparseSpGEMMDescr_t;
typedef struct cusparseSpSVDescr* cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr* cusparseSpSMDescr_t;
typedef struct cusparseSpMatDescr const* cusparseConstSpMatDescr_t;
typedef struct cusparseDnMatDescr const* cusparseConstDnMatDescr_t;
typedef struct cusparseDnVecDescr const* cusparseConstDnVecDescr_t;

typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_ARCH_MISMATCH = 4,
    CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSPARSE_STATUS_ZERO_PIVOT = 9,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
    CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
    CUSPARSE_OPERATION_TRANSPOSE = 1,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_FORMAT_CSR = 1, CUSPARSE_FORMAT_CSC = 2, CUSPARSE_FORMAT_COO = 3 } cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum {
    CUSPARSE_MATRIX_TYPE_GENERAL = 0,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
    CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 } cusparseSpMatAttribute_t;

// One implementation stands behind every algorithm.
typedef enum {
    CUSPARSE_SPMV_ALG_DEFAULT = 0,
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
    CUSPARSE_SPMM_ALG_DEFAULT = 0,
    CUSPARSE_SPMM_COO_ALG1 = 1,
    CUSPARSE_SPMM_COO_ALG2 = 2,
    CUSPARSE_SPMM_COO_ALG3 = 3,
    CUSPARSE_SPMM_CSR_ALG1 = 4,
    CUSPARSE_SPMM_COO_ALG4 = 5,
    CUSPARSE_SPMM_CSR_ALG2 = 6,
    CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum {
    CUSPARSE_SPGEMM_DEFAULT = 0,
    CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
    CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
    CUSPARSE_SPGEMM_ALG1 = 3,
    CUSPARSE_SPGEMM_ALG2 = 4,
    CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 } cusparseCsr2CscAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif
// ---- handles ----
cusparseStatus_t cusparseCreate(cusparseHandle_t* handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version);
const char* cusparseGetErrorName(cusparseStatus_t status);
const char* cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode);

// ---- descriptors of sparse matrices ----
#define SIMT_SPARSE_CREATE(CONST_NAME, DESCRIPTOR, VOID)                                                                      \
    cusparseStatus_t cusparseCreate##CONST_NAME##Csr(                                                                         \
        DESCRIPTOR* matrix, int64_t rows, int64_t cols, int64_t nnz, VOID row_offsets, VOID columns, VOID values,             \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType value_type);  \
    cusparseStatus_t cusparseCreate##CONST_NAME##Csc(                                                                         \
        DESCRIPTOR* matrix, int64_t rows, int64_t cols, int64_t nnz, VOID column_offsets, VOID rows_of, VOID values,          \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType value_type);  \
    cusparseStatus_t cusparseCreate##CONST_NAME##Coo(DESCRIPTOR* matrix, int64_t rows, int64_t cols, int64_t nnz,             \
                                                     VOID rows_of, VOID columns, VOID values, cusparseIndexType_t index_type, \
                                                     cusparseIndexBase_t base, cudaDataType value_type);
SIMT_SPARSE_CREATE(, cusparseSpMatDescr_t, void*)
SIMT_SPARSE_CREATE(Const, cusparseConstSpMatDescr_t, const void*)
#undef SIMT_SPARSE_CREATE
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz, void** row_offsets,
                                void** columns, void** values, cusparseIndexType_t* offset_type,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* value_type);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* row_offsets, void* columns, void* values);
// Strides are in elements; that of CSR's columns and values is one number. 0: all matrices of the batch share the array.
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, int64_t offsets_stride,
                                            int64_t columns_values_stride);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int batches, int64_t stride);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int* batches);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t* format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t* base);
// Which triangle a solver takes, and whether its diagonal counts as ones; `bytes` is the size of the enumeration.
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute, void* value,
                                           size_t bytes);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute, void* value,
                                           size_t bytes);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void** values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void* values);

// ---- descriptors of dense matrices and vectors ----
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t ld, void* values,
                                     cudaDataType value_type, cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t ld,
                                          const void* values, cudaDataType value_type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* ld, void** values,
                                  cudaDataType* value_type, cusparseOrder_t* order);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int batches, int64_t stride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int* batches, int64_t* stride);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void** values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void* values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values, cudaDataType value_type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* vector, int64_t size, const void* values,
                                          cudaDataType value_type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t* size, void** values, cudaDataType* value_type);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void** values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values);

// ---- products: each with the size of its workspace, a preparation that does nothing here, and the work ----
#define SIMT_SPARSE_PRODUCT(NAME, ...)                                        \
    cusparseStatus_t cusparse##NAME##_bufferSize(__VA_ARGS__, size_t* bytes); \
    cusparseStatus_t cusparse##NAME##_preprocess(__VA_ARGS__, void* buffer);  \
    cusparseStatus_t cusparse##NAME(__VA_ARGS__, void* buffer);
// y = alpha op(A) x + beta y
SIMT_SPARSE_PRODUCT(SpMV, cusparseHandle_t handle, cusparseOperation_t op, const void* alpha, cusparseConstSpMatDescr_t a,
                    cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y, cudaDataType compute_type,
                    cusparseSpMVAlg_t algorithm)
// C = alpha op(A) op(B) + beta C, with a sparse A
SIMT_SPARSE_PRODUCT(SpMM, cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                    cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c,
                    cudaDataType compute_type, cusparseSpMMAlg_t algorithm)
// C = alpha (op(A) op(B), where C has entries) + beta C, with a sparse C
SIMT_SPARSE_PRODUCT(SDDMM, cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                    cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                    cudaDataType compute_type, cusparseSDDMMAlg_t algorithm)
#undef SIMT_SPARSE_PRODUCT
// ---- C = alpha A B + beta C, all CSR: estimate, compute, allocate C's arrays, copy. A call without a buffer tells its size ----
#define SIMT_SPARSE_GEMM                                                                                    \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,         \
        cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, \
        cudaDataType compute_type, cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t descriptor
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descriptor);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descriptor);
cusparseStatus_t cusparseSpGEMM_workEstimation(SIMT_SPARSE_GEMM, size_t* bytes, void* buffer);
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descriptor, int64_t* products);
cusparseStatus_t cusparseSpGEMM_compute(SIMT_SPARSE_GEMM, size_t* bytes, void* buffer);
cusparseStatus_t cusparseSpGEMM_copy(SIMT_SPARSE_GEMM);
#undef SIMT_SPARSE_GEMM

// ---- op(A) y = alpha x, and op(A) C = alpha op(B): the analysis keeps its buffer until the last solve ----
#define SIMT_SPARSE_SOLVER(NAME, ...)                                                   \
    cusparseStatus_t cusparse##NAME##_createDescr(cusparse##NAME##Descr_t* descriptor); \
    cusparseStatus_t cusparse##NAME##_destroyDescr(cusparse##NAME##Descr_t descriptor); \
    cusparseStatus_t cusparse##NAME##_bufferSize(__VA_ARGS__, size_t* bytes);           \
    cusparseStatus_t cusparse##NAME##_analysis(__VA_ARGS__, void* buffer);              \
    cusparseStatus_t cusparse##NAME##_solve(__VA_ARGS__);
SIMT_SPARSE_SOLVER(SpSV, cusparseHandle_t handle, cusparseOperation_t op, const void* alpha, cusparseConstSpMatDescr_t a,
                   cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute_type, cusparseSpSVAlg_t algorithm,
                   cusparseSpSVDescr_t descriptor)
SIMT_SPARSE_SOLVER(SpSM, cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                   cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType compute_type,
                   cusparseSpSMAlg_t algorithm, cusparseSpSMDescr_t descriptor)
#undef SIMT_SPARSE_SOLVER

// ---- the older interface: C = alpha A + beta B of general CSR matrices, first C's offsets, then its columns and values ----
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descriptor, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descriptor);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descriptor, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descriptor);
// `total` is on the host or on the device, by the pointer mode.
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int rows, int cols, const cusparseMatDescr_t of_a, int nnz_a,
                                      const int* offsets_a, const int* columns_a, const cusparseMatDescr_t of_b, int nnz_b,
                                      const int* offsets_b, const int* columns_b, const cusparseMatDescr_t of_c, int* offsets_c,
                                      int* total, void* buffer);
#define SIMT_SPARSE_GEAM(LETTER, T)                                                                                        \
    cusparseStatus_t cusparse##LETTER##csrgeam2_bufferSizeExt(                                                             \
        cusparseHandle_t handle, int rows, int cols, const T* alpha, const cusparseMatDescr_t of_a, int nnz_a, const T* a, \
        const int* offsets_a, const int* columns_a, const T* beta, const cusparseMatDescr_t of_b, int nnz_b, const T* b,   \
        const int* offsets_b, const int* columns_b, const cusparseMatDescr_t of_c, const T* c, const int* offsets_c,       \
        const int* columns_c, size_t* bytes);                                                                              \
    cusparseStatus_t cusparse##LETTER##csrgeam2(                                                                           \
        cusparseHandle_t handle, int rows, int cols, const T* alpha, const cusparseMatDescr_t of_a, int nnz_a, const T* a, \
        const int* offsets_a, const int* columns_a, const T* beta, const cusparseMatDescr_t of_b, int nnz_b, const T* b,   \
        const int* offsets_b, const int* columns_b, const cusparseMatDescr_t of_c, T* c, int* offsets_c, int* columns_c,   \
        void* buffer);
SIMT_SPARSE_GEAM(S, float)
SIMT_SPARSE_GEAM(D, double)
#undef SIMT_SPARSE_GEAM

// ---- conversions ----
#define SIMT_SPARSE_CSR2CSC                                                                                                   \
    cusparseHandle_t handle, int rows, int cols, int nnz, const void *csr_values, const int *row_offsets, const int *columns, \
        void *csc_values, int *column_offsets, int *rows_of, cudaDataType value_type, cusparseAction_t action,                \
        cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(SIMT_SPARSE_CSR2CSC, size_t* bytes);
cusparseStatus_t cusparseCsr2cscEx2(SIMT_SPARSE_CSR2CSC, void* buffer);
#undef SIMT_SPARSE_CSR2CSC
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                                  cusparseSparseToDenseAlg_t algorithm, size_t* bytes);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t algorithm, void* buffer);
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
