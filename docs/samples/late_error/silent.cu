// Two mistakes that memcheck does not look for. Build: nvcc -std=c++17 -lineinfo silent.cu -o silent
//   ./silent race       threads read what their neighbours wrote to shared memory, without a barrier
//   ./silent unwritten  a kernel reads device memory that nothing has written
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

constexpr int kThreads = 256;

__global__ void reverse(float* x) {
    __shared__ float tile[kThreads];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // __syncthreads() is missing before this line
}

__global__ void add(float* x, const float* y) { x[threadIdx.x] += y[threadIdx.x]; }

int main(int count, char** words) {
    float *x = nullptr, *y = nullptr;
    cudaMalloc(&x, kThreads * sizeof(float));
    cudaMalloc(&y, kThreads * sizeof(float));
    cudaMemset(x, 0, kThreads * sizeof(float));
    if (count > 1 && std::strcmp(words[1], "race") == 0) {
        reverse<<<1, kThreads>>>(x);
    } else {
        add<<<1, kThreads>>>(x, y);
    }
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
    cudaFree(y);
}
