// Error checks of ATen. PyTorch's own header includes cuBLAS, cuSPARSE and cuSOLVER for checks of their status codes.
#pragma once

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>
#include <c10/macros/Export.h>
#include <c10/util/Exception.h>

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
