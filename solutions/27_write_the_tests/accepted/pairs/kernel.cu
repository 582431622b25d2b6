// softmax(x + bias) along the rows, and its gradient: one block per row, which loads two neighbours at once
// where every row begins at an even element.
#include <c10/util/Half.h>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

namespace {

constexpr int kThreadsPerBlock = 64;  // a power of two: the tree halves it

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

template <typename T>
struct alignas(2 * sizeof(T)) Pair {
    T first, second;
};

// Calls `use` for this thread's elements of a row, in pairs or one by one.
template <typename T, typename Use>
__device__ void for_each(const T* __restrict__ x, const T* __restrict__ bias, int64_t columns, bool pairs,
                         Use use) {
    using S = typename SumOf<T>::type;
    if (pairs) {
        const auto* const x_pairs = reinterpret_cast<const Pair<T>*>(x);
        const auto* const bias_pairs = reinterpret_cast<const Pair<T>*>(bias);
        for (int64_t pair = threadIdx.x; pair < columns / 2; pair += blockDim.x) {
            const Pair<T> a = x_pairs[pair], b = bias_pairs[pair];
            use(2 * pair, static_cast<S>(a.first), static_cast<S>(b.first));
            use(2 * pair + 1, static_cast<S>(a.second), static_cast<S>(b.second));
        }
    } else {
        for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
            use(column, static_cast<S>(x[column]), static_cast<S>(bias[column]));
        }
    }
}

template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x, const T* __restrict__ bias,
                               T* __restrict__ out, int64_t columns, bool pairs) {
    using S = typename SumOf<T>::type;
    __shared__ S shared[kThreadsPerBlock];
    const int64_t row = blockIdx.x * columns;
    S largest = -std::numeric_limits<S>::infinity();
    for_each(x + row, bias, columns, pairs, [&](int64_t, S value, S added) {
        largest = value + added > largest ? value + added : largest;
    });
    largest = across_block(largest, shared, Larger());
    S sum = 0;
    for_each(x + row, bias, columns, pairs,
             [&](int64_t, S value, S added) { sum += exp(value + added - largest); });
    sum = across_block(sum, shared, Plus());
    for_each(x + row, bias, columns, pairs, [&](int64_t column, S value, S added) {
        out[row + column] = static_cast<T>(exp(value + added - largest) / sum);
    });
}

template <typename T>
__global__ void softmax_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ out,
                                        T* __restrict__ grad_x, int64_t columns, bool pairs) {
    using S = typename SumOf<T>::type;
    __shared__ S shared[kThreadsPerBlock];
    const int64_t row = blockIdx.x * columns;
    S sum = 0;
    for_each(grad_out + row, out + row, columns, pairs,
             [&](int64_t, S grad, S value) { sum += grad * value; });
    sum = across_block(sum, shared, Plus());
    for_each(grad_out + row, out + row, columns, pairs, [&](int64_t column, S grad, S value) {
        grad_x[row + column] = static_cast<T>(value * (grad - sum));
    });
}

// Whether the rows of both tensors can be read in pairs: an odd width or an odd start forbids it.
template <typename T>
bool by_pairs(const T* first, const T* second, int64_t columns) {
    const auto addresses = reinterpret_cast<uintptr_t>(first) | reinterpret_cast<uintptr_t>(second);
    return columns % 2 == 0 && addresses % sizeof(Pair<T>) == 0;
}

}  // namespace

template <typename T>
void launch_softmax(const T* x, const T* bias, T* out, int64_t rows, int64_t columns,
                    cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_kernel<T><<<static_cast<unsigned>(rows), kThreadsPerBlock, 0, stream>>>(
        x, bias, out, columns, by_pairs(x, bias, columns));
}

template <typename T>
void launch_softmax_backward(const T* grad_out, const T* out, T* grad_x, int64_t rows,
                             int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_backward_kernel<T>
        <<<static_cast<unsigned>(rows), kThreadsPerBlock, 0, stream>>>(
            grad_out, out, grad_x, columns, by_pairs(grad_out, out, columns));
}

#define INSTANTIATE(T)                                                                            \
    template void launch_softmax<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);      \
    template void launch_softmax_backward<T>(const T*, const T*, T*, int64_t, int64_t, cudaStream_t);

INSTANTIATE(c10::Half)
INSTANTIATE(float)
INSTANTIATE(double)
