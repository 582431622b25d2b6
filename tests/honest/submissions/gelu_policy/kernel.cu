#include <cstdint>
#include <cuda_runtime.h>
#include <numbers>

namespace activation {

template <typename T>
struct TanhGelu {
    static constexpr T kScale = T(2) * std::numbers::inv_sqrtpi_v<T> * std::numbers::sqrt2_v<T> / T(2);
    static constexpr T kCoefficients[2] = {T(1), T(0.044715)};

    struct Pair {
        T value, slope;
    };

    __device__ static Pair evaluate(T z) {
        constexpr T first = T(1), second = T(0.044715);
        const T square = z * z;
        const T inner = kScale * z * (first + second * square);
        const T t = ::tanh(inner);
        const T inner_slope = kScale * (first + T(3) * second * square);
        return Pair{T(0.5) * z * (T(1) + t), T(0.5) * (T(1) + t) + T(0.5) * z * (T(1) - t * t) * inner_slope};
    }
};

static_assert(TanhGelu<double>::kScale > 0.797 && TanhGelu<double>::kScale < 0.798);
static_assert(TanhGelu<float>::kCoefficients[0] == 1.0f);

enum class Pass { forward, backward };

template <Pass pass, typename T>
__global__ void run(const T* __restrict__ x, const T* __restrict__ bias, [[maybe_unused]] const T* __restrict__ grad,
                    T* __restrict__ out, int64_t n, int64_t columns) {
    const int64_t i = int64_t{threadIdx.x} + int64_t{blockIdx.x} * blockDim.x;
    if (i >= n) return;
    const auto [value, slope] = TanhGelu<T>::evaluate(x[i] + __ldg(bias + i % columns));
    if constexpr (pass == Pass::forward) {
        out[i] = value;
    } else {
        out[i] = grad[i] * slope;
    }
}

template <Pass pass, typename T>
void launch(const T* x, const T* bias, const T* grad, T* out, int64_t n, int64_t columns, cudaStream_t stream) {
    if (n == 0) [[unlikely]] return;
    run<pass><<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream>>>(x, bias, grad, out, n, columns);
}

}  // namespace activation

template <typename T>
void launch_bias_gelu(const T* x, const T* bias, T* out, int64_t n, int64_t columns, cudaStream_t stream) {
    activation::launch<activation::Pass::forward, T>(x, bias, nullptr, out, n, columns, stream);
}

template <typename T>
void launch_bias_gelu_backward(const T* grad_out, const T* x, const T* bias, T* grad_x, int64_t n, int64_t columns,
                               cudaStream_t stream) {
    activation::launch<activation::Pass::backward, T>(x, bias, grad_out, grad_x, n, columns, stream);
}

template void launch_bias_gelu<float>(const float*, const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_bias_gelu<double>(const double*, const double*, double*, int64_t, int64_t, cudaStream_t);
template void launch_bias_gelu_backward<float>(const float*, const float*, const float*, float*, int64_t, int64_t,
                                               cudaStream_t);
template void launch_bias_gelu_backward<double>(const double*, const double*, const double*, double*, int64_t, int64_t,
                                                cudaStream_t);
