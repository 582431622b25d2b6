// out = alpha * x + y for n elements of device memory. CUDA's headers only: compiles in a second.
#include <cstdint>
#include <cuda_runtime.h>

template <typename T>
__global__ void axpy_kernel(T alpha, const T* __restrict__ x, const T* __restrict__ y,
                            T* __restrict__ out, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = alpha * x[i] + y[i];
}

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;  // a grid of zero blocks is an invalid launch
    constexpr int kThreads = 256;
    const auto blocks = unsigned((n + kThreads - 1) / kThreads);
    axpy_kernel<T><<<blocks, kThreads, 0, stream>>>(alpha, x, y, out, n);
}

// binding.cpp does not see these templates' bodies: instantiate every type that it uses.
template void launch_axpy(float, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_axpy(double, const double*, const double*, double*, int64_t, cudaStream_t);
