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
    // TODO(element): the element at (row, column) of the view, about 1 line.
    return T();
}

// `out` is row-major and dense, so element i of it is at (i / columns, i % columns).
template <typename T>
__global__ void difference_kernel(MatrixView<T> a, MatrixView<T> b, T* __restrict__ out,
                                  int64_t rows, int64_t columns) {
    // TODO(loop): a grid-stride loop over the elements of out: row and column of element i, then |a -
    //   b| there, about 8 lines.
}

// The gradient of |x - y| by x, times grad: the sign of x - y, and 0 where they are equal.
template <typename T>
__global__ void slope_kernel(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad,
                             T* __restrict__ out, int64_t rows, int64_t columns) {
    // TODO(slope): the same loop: the sign of x - y times the element of grad, about 9 lines.
}

// Blocks for n elements, and no more than are useful.
unsigned blocks_for(int64_t n) {
    // TODO(blocks): one block per kThreadsPerBlock elements, rounded up, but at most kMostBlocks, about
    //   2 lines.
    return 1;
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
