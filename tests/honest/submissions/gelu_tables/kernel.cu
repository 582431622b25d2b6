#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <math_constants.h>

namespace {

__constant__ double kPolynomial[2] = {1.0, 0.044715};
static __device__ const float kAlpha = 0.7978845608028654f;

template <typename T>
struct Math;
template <>
struct Math<float> {
    static __device__ __forceinline__ float tanh_(float x) { return tanhf(x); }
    static __device__ __forceinline__ float alpha() { return kAlpha; }
    static __device__ __forceinline__ float coefficient(int i) { return __double2float_rn(kPolynomial[i]); }
};
template <>
struct Math<double> {
    static __device__ __forceinline__ double tanh_(double x) { return ::tanh(x); }
    static __device__ __forceinline__ double alpha() { return sqrt(2.0 / CUDART_PI); }
    static __device__ __forceinline__ double coefficient(int i) { return kPolynomial[i]; }
};

template <typename T>
__device__ __forceinline__ T inner(T z) {
    using M = Math<T>;
    return M::tanh_(M::alpha() * z * (M::coefficient(0) + M::coefficient(1) * z * z));
}

struct Forward {
    template <typename T>
    __device__ T operator()(T z, T) const { return T(0.5) * z * (T(1) + inner(z)); }
};
struct Backward {
    template <typename T>
    __device__ T operator()(T z, T grad) const {
        using M = Math<T>;
        const T t = inner(z);
        const T dt = fma(-t, t, T(1)) * M::alpha() * fma(T(3) * M::coefficient(1) * z, z, T(1));
        return grad * T(0.5) * (fma(z, dt, t) + T(1));
    }
};

template <typename T, typename Op, bool kHasGrad>
__global__ void bias_act(const T* __restrict__ grad, const T* __restrict__ x, const T* __restrict__ bias,
                         T* __restrict__ y, int64_t n, int64_t columns) {
    int64_t i = blockIdx.x;
    i = i * blockDim.x + threadIdx.x;
    if (i < n) {
        const T z = __ldg(&x[i]) + __ldg(&bias[i % columns]);
        T g = T(1);
        if constexpr (kHasGrad) g = __ldg(&grad[i]);
        y[i] = Op{}(z, g);
    }
}

}  // namespace

template <typename T>
void launch_bias_gelu(const T* x, const T* bias, T* out, int64_t n, int64_t columns, cudaStream_t stream) {
    if (n == 0) return;
    void (*kernel)(const T*, const T*, const T*, T*, int64_t, int64_t) = bias_act<T, Forward, false>;
    kernel<<<dim3((n + 127) / 128), dim3(128), 0, stream>>>(nullptr, x, bias, out, n, columns);
}

template <typename T>
void launch_bias_gelu_backward(const T* grad_out, const T* x, const T* bias, T* grad_x, int64_t n,
                               int64_t columns, cudaStream_t stream) {
    if (n == 0) return;
    auto* const kernel = &bias_act<T, Backward, true>;
    kernel<<<dim3((n + 127) / 128), dim3(128), 0, stream>>>(grad_out, x, bias, grad_x, n, columns);
}

template void launch_bias_gelu<float>(const float*, const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_bias_gelu<double>(const double*, const double*, double*, int64_t, int64_t, cudaStream_t);
template void launch_bias_gelu_backward<float>(const float*, const float*, const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_bias_gelu_backward<double>(const double*, const double*, const double*, double*, int64_t, int64_t, cudaStream_t);
