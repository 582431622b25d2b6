// Exercise 08 with two channels per thread: forward loads 4 bytes where the solution loads 2, as a
// __half2 or __nv_bfloat162, and converts both halves at once. Stands in for kernel.cu.
#include <ATen/OpMathType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
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
}

// The same 16 bits under CUDA's names: a pair of them, and its conversions.
template <typename T>
struct Pair;
template <>
struct Pair<c10::Half> {
    using type = __half2;
    static __device__ float2 widen(__half2 both) { return __half22float2(both); }
    static __device__ __half2 narrow(float2 both) { return __float22half2_rn(both); }
};
template <>
struct Pair<c10::BFloat16> {
    using type = __nv_bfloat162;
    static __device__ float2 widen(__nv_bfloat162 both) { return __bfloat1622float2(both); }
    static __device__ __nv_bfloat162 narrow(float2 both) { return __float22bfloat162_rn(both); }
};

// As pool_kernel, for channels 2 i and 2 i + 1: `pairs` is half the number of channels.
template <typename T>
__global__ void pool_pairs_kernel(const typename Pair<T>::type* __restrict__ x,
                                  const typename Pair<T>::type* __restrict__ weight,
                                  typename Pair<T>::type* __restrict__ out, float scale,
                                  int64_t batch, int64_t tokens, int64_t pairs) {
    // --8<-- [start:pairs]
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= batch * pairs) return;
    const int64_t row = i / pairs;
    const int64_t column = i % pairs;
    float2 sum = {0, 0};
    for (int64_t t = 0; t < tokens; ++t) {
        const float2 a = Pair<T>::widen(x[(row * tokens + t) * pairs + column]);
        const float2 b = Pair<T>::widen(weight[t * pairs + column]);
        sum.x += a.x * b.x;
        sum.y += a.y * b.y;
    }
    out[i] = Pair<T>::narrow(make_float2(scale * sum.x, scale * sum.y));
    // --8<-- [end:pairs]
}

// Whether memory can be read in pairs: an even number of channels, and an address of 4 bytes each.
template <typename T>
bool in_pairs(const T* x, const T* weight, int64_t channels) {
    const auto at = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(weight);
    return channels % 2 == 0 && at % 4 == 0;
}

// grad_x[b, t, c] = scale * grad_out[b, c] * weight[t, c]
template <typename T>
__global__ void grad_x_kernel(const T* __restrict__ grad_out, const T* __restrict__ weight,
                              T* __restrict__ grad_x, double scale, int64_t batch, int64_t tokens,
                              int64_t channels) {
    using acc_t = at::opmath_type<T>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= batch * tokens * channels) return;
    const int64_t row = i / (tokens * channels);
    const int64_t position = i % (tokens * channels);  // of (t, c) in weight
    const acc_t grad = static_cast<acc_t>(grad_out[row * channels + i % channels]);
    const acc_t factor = static_cast<acc_t>(weight[position]);
    grad_x[i] = static_cast<T>(static_cast<acc_t>(scale) * grad * factor);
}

// grad_weight[t, c] = scale * sum over b of grad_out[b, c] * x[b, t, c]
template <typename T>
__global__ void grad_weight_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                                   T* __restrict__ grad_weight, double scale, int64_t batch,
                                   int64_t tokens, int64_t channels) {
    using acc_t = at::opmath_type<T>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= tokens * channels) return;
    acc_t sum = 0;
    for (int64_t row = 0; row < batch; ++row) {
        sum += static_cast<acc_t>(grad_out[row * channels + i % channels]) *
               static_cast<acc_t>(x[row * tokens * channels + i]);
    }
    grad_weight[i] = static_cast<T>(static_cast<acc_t>(scale) * sum);
}

}  // namespace

template <typename T>
void launch_pool(const T* x, const T* weight, T* out, double scale, int64_t batch, int64_t tokens,
                 int64_t channels, cudaStream_t stream) {
    const int64_t n = batch * channels;
    if (n == 0) return;  // without tokens the sums are empty, and the kernel writes zeros
    if constexpr (sizeof(T) == 2) {
        using pair = typename Pair<T>::type;
        if (in_pairs(x, weight, channels)) {
            pool_pairs_kernel<T><<<blocks_for(n / 2), kThreadsPerBlock, 0, stream>>>(
                reinterpret_cast<const pair*>(x), reinterpret_cast<const pair*>(weight),
                reinterpret_cast<pair*>(out), static_cast<float>(scale), batch, tokens,
                channels / 2);
            return;
        }
    }
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
LAUNCHERS(c10::Half)
LAUNCHERS(c10::BFloat16)
