// Included in front of a .cu file when clangd reads it: see compile_commands.py.
//
// clang's own CUDA headers want a CUDA toolkit of a version that this clang knows. The simulated headers serve any clang, and
// have what the course's kernels use. To them every function is a host function, so clang calls each launch one of a
// "non-global function"; .clangd switches that message off.
#pragma once
#include <stdlib.h>
#include <math.h>

// clang puts CUDA versions in front of these three headers, which want the words as attributes.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <algorithm>
#include <complex>
#include <new>
#undef __host__
#undef __device__

#include "simt/prelude.h"

// What clang looks up for `<<<...>>>`; the second is the name for CUDA before 9.2, which stands for an unknown version.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
