// Generated where PyTorch is built for CUDA; CPU wheels lack it. None of the libraries it asks for is here.
#pragma once

#define AT_CUDNN_ENABLED() 0
#define AT_CUSPARSELT_ENABLED() 0
#define AT_MAGMA_ENABLED() 0
#define AT_ROCM_ENABLED() 0

#define NVCC_FLAGS_EXTRA ""
