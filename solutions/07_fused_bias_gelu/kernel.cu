// out = gelu(x + bias) with the tanh form of GELU, and its gradient, each in one pass over memory.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr double kSqrtTwoOverPi = 0.7978845608028654;
constexpr double kCubic = 0.044715;  // Hendrycks and Gimpel, Gaussian Error Linear Units (2016)

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// tanh(sqrt(2/pi) (z + 0.044715 z^3)); forward and backward need it.
template <typename T>
__device__ T gelu_tanh(T z) {
    return tanh(T(kSqrtTwoOverPi) * (z + T(kCubic) * z * z * z));
}

// gelu(z) = z/2 (1 + t), with t from gelu_tanh
template <typename T>
__device__ T gelu(T z) {
    // --8<-- [start:gelu]
    return T(0.5) * z * (T(1) + gelu_tanh(z));
    // --8<-- [end:gelu]
}

// d gelu / dz: the product rule on z/2 (1 + t), the chain rule on t.
template <typename T>
__device__ T gelu_slope(T z) {
    // --8<-- [start:slope]
    const T t = gelu_tanh(z);
    const T t_slope = (T(1) - t * t) * T(kSqrtTwoOverPi) * (T(1) + T(3 * kCubic) * z * z);
    return T(0.5) * (T(1) + t) + T(0.5) * z * t_slope;
    // --8<-- [end:slope]
}

// x, out: n elements, row-major with `columns` to a row. bias: `columns` elements.
template <typename T>
__global__ void bias_gelu_kernel(const T* __restrict__ x, const T* __restrict__ bias,
                                 T* __restrict__ out, int64_t n, int64_t columns) {
    // --8<-- [start:forward_kernel]
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = gelu(x[i] + bias[i % columns]);
    // --8<-- [end:forward_kernel]
}

// Recomputes z = x + bias: reading x costs as much as reading a saved z would, and saving z would
// cost another write.
template <typename T>
__global__ void bias_gelu_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                                          const T* __restrict__ bias, T* __restrict__ grad_x,
                                          int64_t n, int64_t columns) {
    // --8<-- [start:backward_kernel]
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    grad_x[i] = grad_out[i] * gelu_slope(x[i] + bias[i % columns]);
    // --8<-- [end:backward_kernel]
}

}  // namespace

template <typename T>
void launch_bias_gelu(const T* x, const T* bias, T* out, int64_t n, int64_t columns,
                      cudaStream_t stream) {
    if (n == 0) return;
    bias_gelu_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(x, bias, out, n, columns);
}

template <typename T>
void launch_bias_gelu_backward(const T* grad_out, const T* x, const T* bias, T* grad_x, int64_t n,
                               int64_t columns, cudaStream_t stream) {
    if (n == 0) return;
    bias_gelu_backward_kernel<T>
        <<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(grad_out, x, bias, grad_x, n, columns);
}

template void launch_bias_gelu<float>(const float*, const float*, float*, int64_t, int64_t,
                                      cudaStream_t);
template void launch_bias_gelu<double>(const double*, const double*, double*, int64_t, int64_t,
                                       cudaStream_t);
template void launch_bias_gelu_backward<float>(const float*, const float*, const float*, float*,
                                               int64_t, int64_t, cudaStream_t);
template void launch_bias_gelu_backward<double>(const double*, const double*, const double*,
                                                double*, int64_t, int64_t, cudaStream_t);
