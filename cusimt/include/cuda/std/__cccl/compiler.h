// CCCL from here on: its headers are NVIDIA's own, from a CUDA toolkit or the wheel nvidia-cuda-cccl. This one stands in front
// of theirs, and shows them a host compiler beside a CUDA toolkit, which they know: no PTX, no launches, and thrust's CUDA
// system without the algorithms, which simt/thrust_algorithms.h adds.
#pragma once
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#define THRUST_IGNORE_CUB_VERSION_CHECK 1
#undef __CUDACC__
#undef __NVCC__
#include_next <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDACC__")
