// The error macro of NVIDIA's samples, which prints and exits.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                        \
    do {                                                                        \
        const cudaError_t error = (call);                                       \
        if (error != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                    cudaGetErrorString(error));                                 \
            exit(EXIT_FAILURE);                                                 \
        }                                                                       \
    } while (0)

__global__ void fill(float* x, float value, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

void run(float* x, float value, int n) {
    fill<<<(n + 255) / 256, 256>>>(x, value, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}
