// Kernels for suite.py: launchers with C linkage, called with the address of a tensor.
#include <cuda_runtime.h>

__global__ void fill_kernel(float* x, int n) {
    if (threadIdx.x < n) x[threadIdx.x] = 1;
}

__global__ void overrun_kernel(float* x, int n) {
    x[threadIdx.x] = 1;  // and one more
}

__global__ void reverse_kernel(float* x, int n) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

__global__ void follow_null_kernel(float* x) { *x = 1; }

__global__ void endless_kernel(volatile float* x) {
    while (*x < 1) {}
}

extern "C" {
void fill(float* x, int n) { fill_kernel<<<1, n>>>(x, n); }
void overrun(float* x, int n) { overrun_kernel<<<1, n + 1>>>(x, n); }
void reverse(float* x, int n) { reverse_kernel<<<1, n>>>(x, n); }
void follow_null(float*, int) { follow_null_kernel<<<1, 1>>>(nullptr); }
void endless(float* x, int) { endless_kernel<<<1, 1>>>(x); }
}

__global__ void leave_early_kernel(float* x, int n) {
    if (threadIdx.x >= n) return;
    x[threadIdx.x] = 1;
    __syncthreads();
}

extern "C" void leave_early(float* x, int n) { leave_early_kernel<<<1, n + 32>>>(x, n); }
