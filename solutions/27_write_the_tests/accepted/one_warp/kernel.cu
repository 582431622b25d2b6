// softmax(x + bias) along the rows, and its gradient: one warp per row, sums by shuffles.
#include <c10/util/Half.h>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

namespace {

constexpr int kLanes = 32;
constexpr int kRowsPerBlock = 4;
constexpr unsigned kWholeWarp = 0xffffffffu;

template <typename T>
struct SumOf {
    using type = float;
};
template <>
struct SumOf<double> {
    using type = double;
};

// Every lane gets the result: each step pairs it with the lane whose number differs in one bit.
template <typename S>
__device__ S largest_of_warp(S value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        const S other = __shfl_xor_sync(kWholeWarp, value, distance);
        value = other > value ? other : value;
    }
    return value;
}

template <typename S>
__device__ S sum_of_warp(S value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kWholeWarp, value, distance);
    }
    return value;
}

template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x, const T* __restrict__ bias,
                               T* __restrict__ out, int64_t rows, int64_t columns) {
    using S = typename SumOf<T>::type;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
    if (row >= rows) return;  // the whole warp exits
    const T* const values = x + row * columns;
    S largest = -std::numeric_limits<S>::infinity();
    for (int64_t column = threadIdx.x; column < columns; column += kLanes) {
        const S z = static_cast<S>(values[column]) + static_cast<S>(bias[column]);
        largest = z > largest ? z : largest;
    }
    largest = largest_of_warp(largest);
    S sum = 0;
    for (int64_t column = threadIdx.x; column < columns; column += kLanes) {
        sum += exp(static_cast<S>(values[column]) + static_cast<S>(bias[column]) - largest);
    }
    const S scale = S(1) / sum_of_warp(sum);
    for (int64_t column = threadIdx.x; column < columns; column += kLanes) {
        const S z = static_cast<S>(values[column]) + static_cast<S>(bias[column]);
        out[row * columns + column] = static_cast<T>(exp(z - largest) * scale);
    }
}

template <typename T>
__global__ void softmax_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ out,
                                        T* __restrict__ grad_x, int64_t rows, int64_t columns) {
    using S = typename SumOf<T>::type;
    const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
    if (row >= rows) return;  // the whole warp exits
    S sum = 0;
    for (int64_t column = threadIdx.x; column < columns; column += kLanes) {
        const int64_t at = row * columns + column;
        sum += static_cast<S>(grad_out[at]) * static_cast<S>(out[at]);
    }
    sum = sum_of_warp(sum);
    for (int64_t column = threadIdx.x; column < columns; column += kLanes) {
        const int64_t at = row * columns + column;
        const S value = static_cast<S>(out[at]);
        grad_x[at] = static_cast<T>(value * static_cast<S>(grad_out[at]) - value * sum);
    }
}

unsigned blocks_for(int64_t rows) {
    return static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock);
}

}  // namespace

template <typename T>
void launch_softmax(const T* x, const T* bias, T* out, int64_t rows, int64_t columns,
                    cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_kernel<T><<<blocks_for(rows), dim3(kLanes, kRowsPerBlock), 0, stream>>>(x, bias, out,
                                                                                    rows, columns);
}

template <typename T>
void launch_softmax_backward(const T* grad_out, const T* out, T* grad_x, int64_t rows,
                             int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_backward_kernel<T><<<blocks_for(rows), dim3(kLanes, kRowsPerBlock), 0, stream>>>(
        grad_out, out, grad_x, rows, columns);
}

#define INSTANTIATE(T)                                                                            \
    template void launch_softmax<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);      \
    template void launch_softmax_backward<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);

INSTANTIATE(c10::Half)
INSTANTIATE(float)
INSTANTIATE(double)
