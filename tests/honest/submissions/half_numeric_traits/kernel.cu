#include <ATen/AccumulateType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

template <typename T>
__device__ __forceinline__ auto load(const T* p) { return *p; }
__device__ __forceinline__ float load(const c10::Half* p) { return __half2float(*reinterpret_cast<const __half*>(p)); }
__device__ __forceinline__ float load(const c10::BFloat16* p) {
    return __bfloat162float(*reinterpret_cast<const __nv_bfloat16*>(p));
}
template <typename T, typename A>
__device__ __forceinline__ void store(T* p, A value) { *p = static_cast<T>(value); }
__device__ __forceinline__ void store(c10::Half* p, float value) { *reinterpret_cast<__half*>(p) = __float2half_rn(value); }
__device__ __forceinline__ void store(c10::BFloat16* p, float value) {
    *reinterpret_cast<__nv_bfloat16*>(p) = __float2bfloat16_rn(value);
}

#define CUDA_KERNEL_LOOP(i, n) \
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); i += int64_t(gridDim.x) * blockDim.x)

template <typename T>
__global__ void pool_kernel(const T* x, const T* weight, T* out, double scale, int64_t batch, int64_t tokens, int64_t channels) {
    using A = at::acc_type<T, true>;
    CUDA_KERNEL_LOOP(i, batch * channels) {
        const T* from = x + i / channels * tokens * channels + i % channels;
        A sum{};
        for (int64_t t = 0; t < tokens; ++t) sum += load(from + t * channels) * load(weight + t * channels + i % channels);
        store(out + i, static_cast<A>(scale) * sum);
    }
}

template <typename T>
__global__ void grad_x_kernel(const T* grad, const T* weight, T* grad_x, double scale, int64_t batch, int64_t tokens, int64_t channels) {
    using A = at::acc_type<T, true>;
    CUDA_KERNEL_LOOP(i, batch * tokens * channels) {
        const int64_t c = i % channels, t = i / channels % tokens, b = i / channels / tokens;
        store(grad_x + i, static_cast<A>(scale) * load(grad + b * channels + c) * load(weight + t * channels + c));
    }
}

template <typename T>
__global__ void grad_weight_kernel(const T* grad, const T* x, T* grad_weight, double scale, int64_t batch, int64_t tokens, int64_t channels) {
    using A = at::acc_type<T, true>;
    CUDA_KERNEL_LOOP(i, tokens * channels) {
        A sum = 0;
        for (int64_t b = 0; b != batch; ++b) sum += A(load(grad + b * channels + i % channels)) * A(load(x + b * tokens * channels + i));
        store(grad_weight + i, static_cast<A>(scale) * sum);
    }
}

inline dim3 grid_for(int64_t n) { return dim3(static_cast<unsigned>(n < 1 << 20 ? (n + 255) / 256 : 4096)); }

}  // namespace

template <typename T>
void launch_pool(const T* x, const T* weight, T* out, double scale, int64_t batch, int64_t tokens, int64_t channels, cudaStream_t stream) {
    if (batch * channels) pool_kernel<<<grid_for(batch * channels), 256, 0, stream>>>(x, weight, out, scale, batch, tokens, channels);
}
template <typename T>
void launch_grad_x(const T* grad_out, const T* weight, T* grad_x, double scale, int64_t batch, int64_t tokens, int64_t channels, cudaStream_t stream) {
    if (auto n = batch * tokens * channels) grad_x_kernel<<<grid_for(n), 256, 0, stream>>>(grad_out, weight, grad_x, scale, batch, tokens, channels);
}
template <typename T>
void launch_grad_weight(const T* grad_out, const T* x, T* grad_weight, double scale, int64_t batch, int64_t tokens, int64_t channels, cudaStream_t stream) {
    if (auto n = tokens * channels; n != 0) grad_weight_kernel<<<grid_for(n), 256, 0, stream>>>(grad_out, x, grad_weight, scale, batch, tokens, channels);
}

#define FOR_ALL_TYPES(_) _(float) _(double) _(c10::Half) _(c10::BFloat16)
#define INSTANTIATE(T)                                                                                                   \
    template void launch_pool(const T*, const T*, T*, double, int64_t, int64_t, int64_t, cudaStream_t);                  \
    template void launch_grad_x(const T*, const T*, T*, double, int64_t, int64_t, int64_t, cudaStream_t);                \
    template void launch_grad_weight(const T*, const T*, T*, double, int64_t, int64_t, int64_t, cudaStream_t);
FOR_ALL_TYPES(INSTANTIATE)
