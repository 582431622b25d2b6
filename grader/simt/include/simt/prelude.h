// Included in front of every translated file (`-include simt/prelude.h`): what nvcc defines and includes by itself.
//
// __CUDA_ARCH__ stays undefined. nvcc compiles a file once for the host and once for each architecture and defines it in
// the latter only; here one pass serves both, and code under `#ifdef __CUDA_ARCH__` may be PTX.
#pragma once
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime.h"
