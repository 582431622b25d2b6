// Error checks of ATen. PyTorch's own header also has those of libraries that have no simulation: cuSOLVER, cuDNN, cuDSS.
#pragma once

#include <cublas_v2.h>
#include <cusparse.h>

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>
#include <c10/macros/Export.h>
#include <c10/util/Exception.h>

#include "simt_api.h"

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)

// The status and, where the simulated library knows more than that, which argument it refused and why.
#define SIMT_LIBRARY_CHECK(STATUS, EXPR, SUCCESS, TEXT)                                                                      \
    do {                                                                                                                     \
        const STATUS simt_status = (EXPR);                                                                                   \
        if (simt_status == SUCCESS) break;                                                                                   \
        const char* const simt_why = simt_take_library_refusal();                                                            \
        TORCH_CHECK(false, "CUDA error: ", TEXT(simt_status), *simt_why ? ": " : "", simt_why, " when calling `" #EXPR "`"); \
    } while (0)
#define TORCH_CUDABLAS_CHECK(EXPR) SIMT_LIBRARY_CHECK(cublasStatus_t, EXPR, CUBLAS_STATUS_SUCCESS, cublasGetStatusName)
#define TORCH_CUDASPARSE_CHECK(EXPR) SIMT_LIBRARY_CHECK(cusparseStatus_t, EXPR, CUSPARSE_STATUS_SUCCESS, cusparseGetErrorString)
