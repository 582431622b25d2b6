// The one generated header that CPU wheels of PyTorch lack; c10/cuda/CUDAMacros.h includes it.
#pragma once

#define C10_CUDA_BUILD_SHARED_LIBS
