// out[b, c] = scale * sum over t of x[b, t, c] * weight[t, c], and its two gradients: one thread
// for each element. Elements are loaded and stored as T, and computed with in opmath_type<T>: float
// for the two 16-bit types, T itself for float and double.
#include <ATen/OpMathType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// x: batch x tokens x channels, weight: tokens x channels, out: batch x channels, all row-major.
template <typename T>
__global__ void pool_kernel(const T* __restrict__ x, const T* __restrict__ weight,
                            T* __restrict__ out, double scale, int64_t batch, int64_t tokens,
                            int64_t channels) {
    // --8<-- [start:pool]
    using acc_t = at::opmath_type<T>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= batch * channels) return;
    const int64_t row = i / channels;
    const int64_t column = i % channels;
    acc_t sum = 0;
    for (int64_t t = 0; t < tokens; ++t) {
        // Two exact conversions, then a product and a sum in acc_t.
        sum += static_cast<acc_t>(x[(row * tokens + t) * channels + column]) *
               static_cast<acc_t>(weight[t * channels + column]);
    }
    out[i] = static_cast<T>(static_cast<acc_t>(scale) * sum);  // the only rounding to T
    // --8<-- [end:pool]
}

// grad_x[b, t, c] = scale * grad_out[b, c] * weight[t, c]
template <typename T>
__global__ void grad_x_kernel(const T* __restrict__ grad_out, const T* __restrict__ weight,
                              T* __restrict__ grad_x, double scale, int64_t batch, int64_t tokens,
                              int64_t channels) {
    // --8<-- [start:grad_x]
    using acc_t = at::opmath_type<T>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= batch * tokens * channels) return;
    const int64_t row = i / (tokens * channels);
    const int64_t position = i % (tokens * channels);  // of (t, c) in weight
    const acc_t grad = static_cast<acc_t>(grad_out[row * channels + i % channels]);
    const acc_t factor = static_cast<acc_t>(weight[position]);
    grad_x[i] = static_cast<T>(static_cast<acc_t>(scale) * grad * factor);
    // --8<-- [end:grad_x]
}

// grad_weight[t, c] = scale * sum over b of grad_out[b, c] * x[b, t, c]
template <typename T>
__global__ void grad_weight_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                                   T* __restrict__ grad_weight, double scale, int64_t batch,
                                   int64_t tokens, int64_t channels) {
    // --8<-- [start:grad_weight]
    using acc_t = at::opmath_type<T>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= tokens * channels) return;
    acc_t sum = 0;
    for (int64_t row = 0; row < batch; ++row) {
        sum += static_cast<acc_t>(grad_out[row * channels + i % channels]) *
               static_cast<acc_t>(x[row * tokens * channels + i]);
    }
    grad_weight[i] = static_cast<T>(static_cast<acc_t>(scale) * sum);
    // --8<-- [end:grad_weight]
}

}  // namespace

template <typename T>
void launch_pool(const T* x, const T* weight, T* out, double scale, int64_t batch, int64_t tokens,
                 int64_t channels, cudaStream_t stream) {
    const int64_t n = batch * channels;
    if (n == 0) return;  // without tokens the sums are empty, and the kernel writes zeros
    pool_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(x, weight, out, scale, batch,
                                                                   tokens, channels);
}

template <typename T>
void launch_grad_x(const T* grad_out, const T* weight, T* grad_x, double scale, int64_t batch,
                   int64_t tokens, int64_t channels, cudaStream_t stream) {
    const int64_t n = batch * tokens * channels;
    if (n == 0) return;
    grad_x_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(
        grad_out, weight, grad_x, scale, batch, tokens, channels);
}

template <typename T>
void launch_grad_weight(const T* grad_out, const T* x, T* grad_weight, double scale, int64_t batch,
                        int64_t tokens, int64_t channels, cudaStream_t stream) {
    const int64_t n = tokens * channels;
    if (n == 0) return;
    grad_weight_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(
        grad_out, x, grad_weight, scale, batch, tokens, channels);
}

// The launchers of one dtype, compiled here, because binding.cpp sees their declarations only.
#define LAUNCHERS(T)                                                                              \
    template void launch_pool<T>(const T*, const T*, T*, double, int64_t, int64_t, int64_t,       \
                                 cudaStream_t);                                                   \
    template void launch_grad_x<T>(const T*, const T*, T*, double, int64_t, int64_t, int64_t,     \
                                   cudaStream_t);                                                 \
    template void launch_grad_weight<T>(const T*, const T*, T*, double, int64_t, int64_t,         \
                                        int64_t, cudaStream_t);

LAUNCHERS(float)
LAUNCHERS(double)
// --8<-- [start:dtypes]
LAUNCHERS(c10::Half)
LAUNCHERS(c10::BFloat16)
// --8<-- [end:dtypes]
