// softmax(x + bias) along the rows, and its gradient: one thread per row, from left to right.
#include <c10/util/Half.h>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

namespace {

constexpr int kThreadsPerBlock = 64;

template <typename T>
struct SumOf {
    using type = float;
};
template <>
struct SumOf<double> {
    using type = double;
};

// Reads a row twice: finds largest value and sum together, and rescales the sum at each new largest value
// (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018).
template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x, const T* __restrict__ bias,
                               T* __restrict__ out, int64_t rows, int64_t columns) {
    using S = typename SumOf<T>::type;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const T* const values = x + row * columns;
    S largest = static_cast<S>(values[0]) + static_cast<S>(bias[0]);
    S sum = 1;
    for (int64_t column = 1; column < columns; ++column) {
        const S z = static_cast<S>(values[column]) + static_cast<S>(bias[column]);
        if (z > largest) {
            sum = sum * exp(largest - z) + S(1);
            largest = z;
        } else {
            sum += z == largest ? S(1) : exp(z - largest);  // -inf - -inf is NaN
        }
    }
    if (isinf(largest)) sum = std::numeric_limits<S>::quiet_NaN();
    for (int64_t column = 0; column < columns; ++column) {
        const S z = static_cast<S>(values[column]) + static_cast<S>(bias[column]);
        out[row * columns + column] = static_cast<T>(exp(z - largest) / sum);
    }
}

template <typename T>
__global__ void softmax_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ out,
                                        T* __restrict__ grad_x, int64_t rows, int64_t columns) {
    using S = typename SumOf<T>::type;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int64_t end = (row + 1) * columns;
    S sum = 0;
    for (int64_t at = row * columns; at < end; ++at) {
        sum += static_cast<S>(grad_out[at]) * static_cast<S>(out[at]);
    }
    for (int64_t at = row * columns; at < end; ++at) {
        const S slope = static_cast<S>(grad_out[at]) - sum;
        grad_x[at] = static_cast<T>(static_cast<S>(out[at]) * slope);
    }
}

unsigned blocks_for(int64_t rows) {
    return static_cast<unsigned>((rows + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

}  // namespace

template <typename T>
void launch_softmax(const T* x, const T* bias, T* out, int64_t rows, int64_t columns,
                    cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_kernel<T><<<blocks_for(rows), kThreadsPerBlock, 0, stream>>>(x, bias, out, rows, columns);
}

template <typename T>
void launch_softmax_backward(const T* grad_out, const T* out, T* grad_x, int64_t rows,
                             int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_backward_kernel<T><<<blocks_for(rows), kThreadsPerBlock, 0, stream>>>(grad_out, out, grad_x,
                                                                                  rows, columns);
}

#define INSTANTIATE(T)                                                                            \
    template void launch_softmax<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);      \
    template void launch_softmax_backward<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);

INSTANTIATE(c10::Half)
INSTANTIATE(float)
INSTANTIATE(double)
