// Included in front of every translated file (`-include simt/prelude.h`): what nvcc defines and includes by itself.
//
// nvcc compiles a file once for the host and once for each architecture, and defines __CUDA_ARCH__ in the latter only. Here one
// pass serves both. The translator substitutes each use of it in the program's own files: SIMT_CUDA_ARCH in device
// code; in library headers (torch's) it stays undefined.
#pragma once
// Reductions in volatile shared memory (`s[t] += s[t + 32]`) are an idiom; C++20 warns of them.
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wdeprecated-volatile"
#else
#pragma GCC diagnostic ignored "-Wvolatile"
#endif
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#ifndef SIMT_CUDA_ARCH
#define SIMT_CUDA_ARCH 900
#endif
#define __CUDA_ARCH_LIST__ SIMT_CUDA_ARCH
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simt/watched.h"
#include "simt/aliases.h"
#include "simt/global_math.h"
#include "cuda_runtime.h"
