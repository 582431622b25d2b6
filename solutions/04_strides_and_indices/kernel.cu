// |a - b| for matrices with any strides, and its gradient: pointers, strides and a grid-stride loop.
// CUDA headers only.
#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

#include "view.h"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int64_t kMostBlocks = 1024;  // enough to fill a large GPU; beyond that, threads loop

template <typename T>
__device__ T element(const MatrixView<T>& view, int64_t row, int64_t column) {
    // --8<-- [start:element]
    return view.first[row * view.row_stride + column * view.column_stride];
    // --8<-- [end:element]
}

// `out` is row-major and dense, so element i of it is at (i / columns, i % columns).
template <typename T>
__global__ void difference_kernel(MatrixView<T> a, MatrixView<T> b, T* __restrict__ out,
                                  int64_t rows, int64_t columns) {
    // --8<-- [start:loop]
    const int64_t n = rows * columns;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        const int64_t row = i / columns, column = i % columns;
        const T x = element(a, row, column), y = element(b, row, column);
        out[i] = x > y ? x - y : y - x;  // never below 0, where an unsigned T would wrap around
    }
    // --8<-- [end:loop]
}

// The gradient of |x - y| by x, times grad: the sign of x - y, and 0 where they are equal.
template <typename T>
__global__ void slope_kernel(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad,
                             T* __restrict__ out, int64_t rows, int64_t columns) {
    // --8<-- [start:slope]
    const int64_t n = rows * columns;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        const int64_t row = i / columns, column = i % columns;
        const T left = element(x, row, column), right = element(y, row, column);
        const T sign = left > right ? T(1) : left < right ? T(-1) : T(0);
        out[i] = sign * element(grad, row, column);
    }
    // --8<-- [end:slope]
}

// Blocks for n elements, and no more than are useful.
unsigned blocks_for(int64_t n) {
    // --8<-- [start:blocks]
    return static_cast<unsigned>(
        std::min((n + kThreadsPerBlock - 1) / kThreadsPerBlock, kMostBlocks));
    // --8<-- [end:blocks]
}

}  // namespace

template <typename T>
void launch_difference(MatrixView<T> a, MatrixView<T> b, T* out, int64_t rows, int64_t columns,
                       cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    difference_kernel<T><<<blocks_for(rows * columns), kThreadsPerBlock, 0, stream>>>(
        a, b, out, rows, columns);
}

template <typename T>
void launch_slope(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad, T* out, int64_t rows,
                  int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    slope_kernel<T><<<blocks_for(rows * columns), kThreadsPerBlock, 0, stream>>>(x, y, grad, out,
                                                                                  rows, columns);
}

template void launch_difference<uint8_t>(MatrixView<uint8_t>, MatrixView<uint8_t>, uint8_t*,
                                         int64_t, int64_t, cudaStream_t);
template void launch_difference<float>(MatrixView<float>, MatrixView<float>, float*, int64_t,
                                       int64_t, cudaStream_t);
template void launch_difference<double>(MatrixView<double>, MatrixView<double>, double*, int64_t,
                                        int64_t, cudaStream_t);
template void launch_slope<float>(MatrixView<float>, MatrixView<float>, MatrixView<float>, float*,
                                  int64_t, int64_t, cudaStream_t);
template void launch_slope<double>(MatrixView<double>, MatrixView<double>, MatrixView<double>,
                                   double*, int64_t, int64_t, cudaStream_t);
