// Stands in for kernel.cu: where the number of elements allows it, rows and columns are computed in 32
// bits. Offsets still have 64: they depend on the strides, not on the number of elements.
#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

#include "view.h"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int64_t kMostBlocks = 1024;  // enough to fill a large GPU; beyond that, threads loop

template <typename T>
__device__ T element(const MatrixView<T>& view, int64_t row, int64_t column) {
    return view.first[row * view.row_stride + column * view.column_stride];
}

// `Index` is uint32_t for fewer than 2^31 elements: no sum of an index and a step reaches 2^32 then.
template <typename T, typename Index>
__global__ void difference_kernel(MatrixView<T> a, MatrixView<T> b, T* __restrict__ out, Index rows,
                                  Index columns) {
    // --8<-- [start:kernel]
    const Index n = rows * columns;
    const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
    for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const Index row = i / columns, column = i % columns;
        const T x = element(a, row, column), y = element(b, row, column);
        out[i] = x > y ? x - y : y - x;
    }
    // --8<-- [end:kernel]
}

// The gradient of |x - y| by x, times grad: the sign of x - y, and 0 where they are equal.
template <typename T>
__global__ void slope_kernel(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad,
                             T* __restrict__ out, int64_t rows, int64_t columns) {
    const int64_t n = rows * columns;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        const int64_t row = i / columns, column = i % columns;
        const T left = element(x, row, column), right = element(y, row, column);
        const T sign = left > right ? T(1) : left < right ? T(-1) : T(0);
        out[i] = sign * element(grad, row, column);
    }
}

// Blocks for n elements, and no more than are useful.
unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>(
        std::min((n + kThreadsPerBlock - 1) / kThreadsPerBlock, kMostBlocks));
}

}  // namespace

template <typename T>
void launch_difference(MatrixView<T> a, MatrixView<T> b, T* out, int64_t rows, int64_t columns,
                       cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    const unsigned blocks = blocks_for(rows * columns);
    if (rows * columns < int64_t(1) << 31) {
        difference_kernel<T, uint32_t><<<blocks, kThreadsPerBlock, 0, stream>>>(
            a, b, out, static_cast<uint32_t>(rows), static_cast<uint32_t>(columns));
    } else {
        difference_kernel<T, int64_t>
            <<<blocks, kThreadsPerBlock, 0, stream>>>(a, b, out, rows, columns);
    }
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
