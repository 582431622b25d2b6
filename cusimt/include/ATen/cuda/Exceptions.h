// Error checks of ATen. PyTorch's own header also has those of libraries that have no simulation: cuSOLVER, cuDNN, cuDSS.
#pragma once

#include <cublas_v2.h>
#include <cusparse.h>

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>
#include <c10/macros/Export.h>
#include <c10/util/Exception.h>

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)

#define SIMT_LIBRARY_CHECK(STATUS, EXPR, SUCCESS, TEXT)                                                      \
    do {                                                                                                     \
        const STATUS simt_status = (EXPR);                                                                   \
        TORCH_CHECK(simt_status == SUCCESS, "CUDA error: ", TEXT(simt_status), " when calling `" #EXPR "`"); \
    } while (0)
#define TORCH_CUDABLAS_CHECK(EXPR) SIMT_LIBRARY_CHECK(cublasStatus_t, EXPR, CUBLAS_STATUS_SUCCESS, cublasGetStatusString)
#define TORCH_CUDASPARSE_CHECK(EXPR) SIMT_LIBRARY_CHECK(cusparseStatus_t, EXPR, CUSPARSE_STATUS_SUCCESS, cusparseGetErrorString)
