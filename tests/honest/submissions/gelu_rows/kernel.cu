#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda_runtime.h>
#include <stdint.h>

static __device__ __forceinline__ float th(float x) { return tanhf(x); }
static __device__ __forceinline__ double th(double x) { return tanh(x); }

template <class T>
static __device__ cuda::std::array<T, 2> gelu_and_slope(T z) {
    static_assert(cuda::std::is_floating_point<T>::value, "floating point");
    static_assert(cuda::std::numeric_limits<T>::is_iec559, "IEEE 754");
    const T c = static_cast<T>(0.79788456080286535588L), k = static_cast<T>(0.044715L);
    const T t = th(c * (z + k * z * z * z));
    cuda::std::array<T, 2> both{};
    both[0] = T(.5) * z * (1 + t);
    both[1] = T(.5) * (1 + t) + T(.5) * z * (1 - t * t) * c * (1 + 3 * k * z * z);
    return both;
}

template <class T, bool kSlope>
static __global__ void rows_kernel(const T* x, const T* bias, const T* grad, T* out, int64_t rows, int64_t columns) {
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
            const int64_t at = row * columns + column;
            const auto both = gelu_and_slope<T>(x[at] + bias[column]);
            out[at] = kSlope ? both[1] * grad[at] : both[0];
        }
    }
}

template <bool kSlope, class T>
static void rows(const T* x, const T* bias, const T* grad, T* out, int64_t n, int64_t columns, cudaStream_t stream) {
    if (n == 0 || columns == 0) return;
    const int64_t count = n / columns;
    const unsigned blocks = count > 65535 ? 65535u : (unsigned)count;
    const unsigned threads = columns >= 256 ? 256u : columns >= 64 ? 64u : 32u;
    rows_kernel<T, kSlope><<<blocks, threads, 0, stream>>>(x, bias, grad, out, count, columns);
}

template <typename T>
void launch_bias_gelu(const T* x, const T* bias, T* out, int64_t n, int64_t columns, cudaStream_t stream) {
    rows<false>(x, bias, static_cast<const T*>(nullptr), out, n, columns, stream);
}
template <typename T>
void launch_bias_gelu_backward(const T* grad, const T* x, const T* bias, T* out, int64_t n, int64_t columns,
                               cudaStream_t stream) {
    rows<true>(x, bias, grad, out, n, columns, stream);
}

#define BOTH(T)                                                                                      \
    template void launch_bias_gelu(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);           \
    template void launch_bias_gelu_backward(const T*, const T*, const T*, T*, int64_t, int64_t, cudaStream_t)
BOTH(float);
BOTH(double);
