// threadIdx, blockIdx, blockDim, gridDim, warpSize. The runtime sets them whenever a CUDA thread starts or resumes.
#pragma once
#include "vector_types.h"

// Constant as far as one CUDA thread can see, which is as far as the compiler looks.
#define SIMT_BUILTIN extern "C" __attribute__((tls_model("initial-exec"))) const __thread
SIMT_BUILTIN uint3 threadIdx;
SIMT_BUILTIN uint3 blockIdx;
SIMT_BUILTIN dim3 blockDim;
SIMT_BUILTIN dim3 gridDim;
#undef SIMT_BUILTIN

// As in CUDA, a value that is known when the program runs and not before: no array bound, no template argument.
#pragma GCC visibility push(hidden)
namespace simt {
inline int warp_size() { return 32; }
}  // namespace simt
static const int warpSize = simt::warp_size();
#pragma GCC visibility pop
