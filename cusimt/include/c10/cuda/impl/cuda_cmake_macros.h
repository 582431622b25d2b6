// Generated where PyTorch is built for CUDA; CPU wheels lack it, and c10/cuda/CUDAMacros.h includes it.
#pragma once

#define C10_CUDA_BUILD_SHARED_LIBS
