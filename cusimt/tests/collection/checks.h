// What every project has a variant of: an error check that ends the call, and one that throws.
#ifndef COLLECTION_CHECKS_H
#define COLLECTION_CHECKS_H

#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                              \
  do {                                                                                \
    cudaError_t status_ = (call);                                                     \
    if (status_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(status_));                                           \
      abort();                                                                        \
    }                                                                                 \
  } while (0)

#define CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())

static inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

#endif
