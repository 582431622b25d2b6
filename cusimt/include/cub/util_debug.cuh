// CubDebug and CubDebugExit: print a CUDA error with the place of the call.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "cub/config.cuh"

CUB_NAMESPACE_BEGIN
inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
    if (error != cudaSuccess) fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", error, file, line, cudaGetErrorString(error));
    return error;
}
CUB_NAMESPACE_END

#define CubDebug(e) CUB_NS_QUALIFIER::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)           \
    do {                          \
        if (CubDebug(e)) exit(1); \
    } while (0)
