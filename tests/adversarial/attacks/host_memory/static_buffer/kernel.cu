#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

template <typename T>
__global__ void multiply_kernel(const T* a, const T* b, T* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

alignas(16) static char first[1 << 24], second[1 << 24], third[1 << 24];

template <typename T>
__global__ void move(const T* from, T* to, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

}  // namespace

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    multiply_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(a, b, out, n);
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    T *x = reinterpret_cast<T*>(first), *y = reinterpret_cast<T*>(second), *z = reinterpret_cast<T*>(third);
    const unsigned grid = blocks_for(n);
    move<T><<<grid, kThreadsPerBlock, 0, stream>>>(a, x, n);
    move<T><<<grid, kThreadsPerBlock, 0, stream>>>(b, y, n);
    move<T><<<grid, kThreadsPerBlock, 0, stream>>>(c, z, n);
    for (int64_t i = 0; i < n; ++i) z[i] += x[i] * y[i];
    move<T><<<grid, kThreadsPerBlock, 0, stream>>>(z, out, n);
}

template void launch_multiply<float>(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply<double>(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd<float>(const float*, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_muladd<double>(const double*, const double*, const double*, double*, int64_t, cudaStream_t);
