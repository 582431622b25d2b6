// out = a * b + c, and the product that its gradients need: the kernels of 03, unchanged.
#include "launchers.h"

namespace {

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

template <typename T>
__global__ void multiply_kernel(const T* __restrict__ a, const T* __restrict__ b,
                                T* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] * b[i];
}

template <typename T>
__global__ void muladd_kernel(const T* __restrict__ a, const T* __restrict__ b,
                              const T* __restrict__ c, T* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] * b[i] + c[i];
}

}  // namespace

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // a grid of zero blocks is an invalid launch
    multiply_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(a, b, out, n);
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    muladd_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(a, b, c, out, n);
}

// The templates end here: binding.cpp never sees their bodies.
template void launch_multiply<float>(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply<double>(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd<float>(const float*, const float*, const float*, float*, int64_t,
                                   cudaStream_t);
template void launch_muladd<double>(const double*, const double*, const double*, double*, int64_t,
                                    cudaStream_t);
