// softmax(x + bias) along the rows, and its gradient: one block per row, sums by a tree in shared memory.
#include <c10/util/Half.h>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

namespace {

constexpr int kThreadsPerBlock = 128;  // a power of two: the tree halves it

// The type of a sum: one of float16 would stop growing at 2048.
template <typename T>
struct SumOf {
    using type = float;
};
template <>
struct SumOf<double> {
    using type = double;
};

struct Larger {
    template <typename S>
    __device__ S operator()(S a, S b) const {
        return a > b ? a : b;
    }
};

struct Plus {
    template <typename S>
    __device__ S operator()(S a, S b) const {
        return a + b;
    }
};

// Combines one value of each thread of the block; every thread gets the result.
template <typename S, typename Combine>
__device__ S across_block(S value, S* shared, Combine combine) {
    shared[threadIdx.x] = value;
    for (unsigned half = kThreadsPerBlock / 2; half > 0; half /= 2) {
        __syncthreads();  // the upper half is complete
        if (threadIdx.x < half) {
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
        }
    }
    __syncthreads();  // shared[0] is complete
    const S result = shared[0];
    __syncthreads();  // all threads have read it: the array may be reused
    return result;
}

// x, out: one row of `columns` per block. bias: `columns`.
template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x, const T* __restrict__ bias,
                               T* __restrict__ out, int64_t columns) {
    using S = typename SumOf<T>::type;
    __shared__ S shared[kThreadsPerBlock];
    const int64_t row = blockIdx.x * columns;
    S largest = -std::numeric_limits<S>::infinity();
    for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
        const S z = static_cast<S>(x[row + column]) + static_cast<S>(bias[column]);
        largest = z > largest ? z : largest;
    }
    largest = across_block(largest, shared, Larger());
    S sum = 0;
    for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
        const S z = static_cast<S>(x[row + column]) + static_cast<S>(bias[column]);
        sum += exp(z - largest);  // at most 1, however large z is
    }
    sum = across_block(sum, shared, Plus());
    for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
        const S z = static_cast<S>(x[row + column]) + static_cast<S>(bias[column]);
        out[row + column] = static_cast<T>(exp(z - largest) / sum);
    }
}

// grad_x = out * (grad_out - sum of grad_out * out over the row)
template <typename T>
__global__ void softmax_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ out,
                                        T* __restrict__ grad_x, int64_t columns) {
    using S = typename SumOf<T>::type;
    __shared__ S shared[kThreadsPerBlock];
    const int64_t row = blockIdx.x * columns;
    S sum = 0;
    for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
        sum += static_cast<S>(grad_out[row + column]) * static_cast<S>(out[row + column]);
    }
    sum = across_block(sum, shared, Plus());
    for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
        const S slope = static_cast<S>(grad_out[row + column]) - sum;
        grad_x[row + column] = static_cast<T>(static_cast<S>(out[row + column]) * slope);
    }
}

}  // namespace

template <typename T>
void launch_softmax(const T* x, const T* bias, T* out, int64_t rows, int64_t columns,
                    cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_kernel<T>
        <<<static_cast<unsigned>(rows), kThreadsPerBlock, 0, stream>>>(x, bias, out, columns);
}

template <typename T>
void launch_softmax_backward(const T* grad_out, const T* out, T* grad_x, int64_t rows,
                             int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_backward_kernel<T>
        <<<static_cast<unsigned>(rows), kThreadsPerBlock, 0, stream>>>(grad_out, out, grad_x, columns);
}

#define INSTANTIATE(T)                                                                            \
    template void launch_softmax<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);      \
    template void launch_softmax_backward<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);

INSTANTIATE(c10::Half)
INSTANTIATE(float)
INSTANTIATE(double)
