// cuBLASLt's handles, which programs create beside their own kernels. Its products of matrices are not declared: cublas_v2.h
// has them.
#pragma once
#include "cublas_v2.h"

typedef struct cublasLtContext* cublasLtHandle_t;

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return cublasCreate((cublasHandle_t*)handle); }
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy((cublasHandle_t)handle); }
static inline size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
