// cuSOLVER for dense matrices in float and double, column by column: Cholesky, LU, QR, singular values, symmetric eigenvalues.
// Computed by the LAPACK that PyTorch contains (runtime/solver_*.cpp), so a program that uses it is linked with PyTorch's library.
// The Jacobi methods are of runtime/solver_jacobi.cpp's own, for complex matrices, too.
#pragma once
#define CUSOLVERDN_H_  // as in CUDA: by this other headers know that it is included
#include "cusolver_common.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;

#ifdef __cplusplus
#include "simt/library_refusals.h"
#endif
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream);

// Workspaces: their sizes count elements. `info` is in device memory: 0, the negative number of a wrong argument, or what
// LAPACK answers.
#define SIMT_SOLVER(X, T)                                                                                                     \
    cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda,  \
                                                     int* elements);                                                          \
    cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda, T* work,    \
                                          int elements, int* info);                                                           \
    cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int columns, const T* a,   \
                                          int lda, T* b, int ldb, int* info);                                                 \
    cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T* a, int lda, int* elements);  \
    cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots,       \
                                          int* info);                                                                         \
    cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int columns, const T* a,    \
                                          int lda, const int* pivots, T* b, int ldb, int* info);                              \
    cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T* a, int lda, int* elements);  \
    cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T* work,            \
                                          int elements, int* info);                                                           \
    cusolverStatus_t cusolverDn##X##orgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T* a, int lda,     \
                                                     const T* tau, int* elements);                                            \
    cusolverStatus_t cusolverDn##X##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau,        \
                                          T* work, int elements, int* info);                                                  \
    cusolverStatus_t cusolverDn##X##ormqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op,  \
                                                     int m, int n, int k, const T* a, int lda, const T* tau, const T* c,      \
                                                     int ldc, int* elements);                                                 \
    cusolverStatus_t cusolverDn##X##ormqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m,      \
                                          int n, int k, const T* a, int lda, const T* tau, T* c, int ldc, T* work,            \
                                          int elements, int* info);                                                           \
    cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* elements);                 \
    cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char job_u, signed char job_vt, int m, int n,     \
                                          T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt, T* work, int elements,         \
                                          T* real_work, int* info);                                                           \
    cusolverStatus_t cusolverDn##X##syevd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo, \
                                                     int n, const T* a, int lda, const T* w, int* elements);                  \
    cusolverStatus_t cusolverDn##X##syevd(cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo, int n,     \
                                          T* a, int lda, T* w, T* work, int elements, int* info);
SIMT_SOLVER(S, float)
SIMT_SOLVER(D, double)
#undef SIMT_SOLVER

// Jacobi methods. `info` of a matrix is its smaller order + 1 if the sweeps did not suffice. Of `V`, no part is conjugated.
typedef struct gesvdjInfo* gesvdjInfo_t;
typedef struct syevjInfo* syevjInfo_t;
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* method);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t method);
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* method);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t method);
#define SIMT_JACOBI(NAME)                                                                                              \
    cusolverStatus_t cusolverDnX##NAME##SetTolerance(NAME##Info_t method, double tolerance);                           \
    cusolverStatus_t cusolverDnX##NAME##SetMaxSweeps(NAME##Info_t method, int sweeps);                                 \
    cusolverStatus_t cusolverDnX##NAME##SetSortEig(NAME##Info_t method, int sorted);                                   \
    cusolverStatus_t cusolverDnX##NAME##GetResidual(cusolverDnHandle_t handle, NAME##Info_t method, double* residual); \
    cusolverStatus_t cusolverDnX##NAME##GetSweeps(cusolverDnHandle_t handle, NAME##Info_t method, int* sweeps);
SIMT_JACOBI(gesvdj)
SIMT_JACOBI(syevj)
#undef SIMT_JACOBI
#define SIMT_SOLVER(X, EIGENVALUES, T, R)                                                                                      \
    cusolverStatus_t cusolverDn##X##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t job, int econ, int m,       \
                                                      int n, const T* a, int lda, const R* s, const T* u, int ldu, const T* v, \
                                                      int ldv, int* elements, gesvdjInfo_t method);                            \
    cusolverStatus_t cusolverDn##X##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t job, int econ, int m, int n, T* a,     \
                                           int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int elements, int* info,      \
                                           gesvdjInfo_t method);                                                               \
    cusolverStatus_t cusolverDn##X##gesvdjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t job, int m, int n,   \
                                                             const T* a, int lda, const R* s, const T* u, int ldu, const T* v, \
                                                             int ldv, int* elements, gesvdjInfo_t method, int batch);          \
    cusolverStatus_t cusolverDn##X##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t job, int m, int n, T* a,        \
                                                  int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int elements,          \
                                                  int* info, gesvdjInfo_t method, int batch);                                  \
    cusolverStatus_t cusolverDn##X##EIGENVALUES##_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t job,                 \
                                                             cublasFillMode_t uplo, int n, const T* a, int lda, const R* w,    \
                                                             int* elements, syevjInfo_t method);                               \
    cusolverStatus_t cusolverDn##X##EIGENVALUES(cusolverDnHandle_t handle, cusolverEigMode_t job, cublasFillMode_t uplo,       \
                                                int n, T* a, int lda, R* w, T* work, int elements, int* info,                  \
                                                syevjInfo_t method);                                                           \
    cusolverStatus_t cusolverDn##X##EIGENVALUES##Batched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t job,          \
                                                                    cublasFillMode_t uplo, int n, const T* a, int lda,         \
                                                                    const R* w, int* elements, syevjInfo_t method, int batch); \
    cusolverStatus_t cusolverDn##X##EIGENVALUES##Batched(cusolverDnHandle_t handle, cusolverEigMode_t job,                     \
                                                         cublasFillMode_t uplo, int n, T* a, int lda, R* w, T* work,           \
                                                         int elements, int* info, syevjInfo_t method, int batch);
SIMT_SOLVER(S, syevj, float, float)
SIMT_SOLVER(D, syevj, double, double)
SIMT_SOLVER(C, heevj, cuComplex, float)
SIMT_SOLVER(Z, heevj, cuDoubleComplex, double)
#undef SIMT_SOLVER
#ifdef __cplusplus
#define SIMT_MISSING_TYPES(NAME)                                  \
    SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnC##NAME) \
    SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnZ##NAME)
#define SIMT_MISSING_ALL(NAME)                                    \
    SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnS##NAME) \
    SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnD##NAME) \
    SIMT_MISSING_TYPES(NAME)
SIMT_MISSING_TYPES(potrf)
SIMT_MISSING_TYPES(potrs)
SIMT_MISSING_TYPES(getrf)
SIMT_MISSING_TYPES(getrs)
SIMT_MISSING_TYPES(geqrf)
SIMT_MISSING_TYPES(ungqr)
SIMT_MISSING_TYPES(unmqr)
SIMT_MISSING_TYPES(gesvd)
SIMT_MISSING_TYPES(heevd)
SIMT_MISSING_ALL(potri)
SIMT_MISSING_ALL(potrfBatched)
SIMT_MISSING_ALL(potrsBatched)
SIMT_MISSING_ALL(gesvdaStridedBatched)
SIMT_MISSING_ALL(syevdx)
SIMT_MISSING_ALL(sygvd)
SIMT_MISSING_ALL(sytrf)
SIMT_MISSING_ALL(gels)
SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnXgetrf)
SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnXpotrf)
SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnXgeqrf)
SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnXgesvd)
SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnXsyevd)
SIMT_MISSING("cuSOLVER", cusolverStatus_t, cusolverDnCreateParams)
#undef SIMT_MISSING_ALL
#undef SIMT_MISSING_TYPES
}
#endif
#pragma GCC visibility pop
