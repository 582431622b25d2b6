#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace pooling {

template <class T>
using accumulator_t = std::conditional_t<std::is_same_v<T, double>, double, float>;

struct Shape {
    int64_t batch, tokens, channels;
    __host__ __device__ constexpr int64_t outputs() const { return batch * channels; }
    __host__ __device__ constexpr int64_t weights() const { return tokens * channels; }
    __host__ __device__ constexpr int64_t inputs() const { return batch * weights(); }
};

__device__ inline int64_t here() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

template <class T>
__global__ void forward(const T* x, const T* weight, T* out, double scale, Shape s) {
    using A = accumulator_t<T>;
    const auto i = here();
    if (i >= s.outputs()) return;
    const auto row = i / s.channels, column = i % s.channels;
    A sum{0};
    for (int64_t token = 0; token < s.tokens; ++token) {
        const auto at = token * s.channels + column;
        sum += A(x[row * s.weights() + at]) * A(weight[at]);
    }
    out[i] = T(A(scale) * sum);
}

template <class T>
__global__ void backward_x(const T* grad, const T* weight, T* out, double scale, Shape s) {
    using A = accumulator_t<T>;
    if (const auto i = here(); i < s.inputs()) {
        out[i] = T(A(scale) * A(grad[i / s.weights() * s.channels + i % s.channels]) * A(weight[i % s.weights()]));
    }
}

template <class T>
__global__ void backward_weight(const T* grad, const T* x, T* out, double scale, Shape s) {
    using A = accumulator_t<T>;
    const auto i = here();
    if (i >= s.weights()) return;
    A sum{0};
    for (int64_t row = 0; row < s.batch; ++row) sum += A(grad[row * s.channels + i % s.channels]) * A(x[row * s.weights() + i]);
    out[i] = T(A(scale) * sum);
}

inline unsigned blocks(int64_t n) { return static_cast<unsigned>((n + 255) / 256); }

}  // namespace pooling

#define LAUNCHER(launcher, kernel, count)                                                                             \
    template <typename T>                                                                                             \
    void launcher(const T* first, const T* second, T* out, double scale, int64_t batch, int64_t tokens,               \
                  int64_t channels, cudaStream_t stream) {                                                            \
        const pooling::Shape shape{batch, tokens, channels};                                                          \
        if (const int64_t n = shape.count(); n > 0) {                                                                 \
            pooling::kernel<<<pooling::blocks(n), 256, 0, stream>>>(first, second, out, scale, shape);                \
        }                                                                                                             \
    }
LAUNCHER(launch_pool, forward, outputs)
LAUNCHER(launch_grad_x, backward_x, inputs)
LAUNCHER(launch_grad_weight, backward_weight, weights)

#define DTYPES(X) X(float) X(double) X(c10::Half) X(c10::BFloat16)
#define SIGNATURE(T) (const T*, const T*, T*, double, int64_t, int64_t, int64_t, cudaStream_t)
#define INSTANTIATE(T)                          \
    template void launch_pool<T> SIGNATURE(T);  \
    template void launch_grad_x<T> SIGNATURE(T); \
    template void launch_grad_weight<T> SIGNATURE(T);
DTYPES(INSTANTIATE)
