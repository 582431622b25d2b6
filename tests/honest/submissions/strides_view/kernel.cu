#include <cstdint>
#include <cuda_runtime.h>

#include "view.h"

namespace {

template <typename T>
struct Reader {
    MatrixView<T> view;
    __device__ T operator()(int64_t row, int64_t column) const {
        return view.first[row * view.row_stride + column * view.column_stride];
    }
};

template <typename T>
__device__ __forceinline__ T distance(T x, T y) {
    return x < y ? T(y - x) : T(x - y);
}

template <typename Visit>
__device__ void for_each_cell(int64_t rows, int64_t columns, Visit&& visit) {
    const int64_t n = rows * columns;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += int64_t{gridDim.x} * blockDim.x) {
        visit(i, i / columns, i % columns);
    }
}

template <typename T>
__global__ void distances(Reader<T> a, Reader<T> b, T* out, int64_t rows, int64_t columns) {
    for_each_cell(rows, columns, [&](int64_t i, int64_t row, int64_t column) {
        out[i] = distance(a(row, column), b(row, column));
    });
}

template <typename T>
__global__ void slopes(Reader<T> x, Reader<T> y, Reader<T> grad, T* out, int64_t rows, int64_t columns) {
    for_each_cell(rows, columns, [=](int64_t i, int64_t row, int64_t column) {
        const T left = x(row, column), right = y(row, column);
        out[i] = T((left > right) - (left < right)) * grad(row, column);
    });
}

constexpr unsigned kBlock = 128;

unsigned grid_for(int64_t n) {
    const int64_t blocks = (n + kBlock - 1) / kBlock;
    return blocks < 2048 ? static_cast<unsigned>(blocks) : 2048u;
}

}  // namespace

template <typename T>
void launch_difference(MatrixView<T> a, MatrixView<T> b, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (const int64_t n = rows * columns; n != 0) {
        distances<T><<<grid_for(n), kBlock, 0, stream>>>({a}, {b}, out, rows, columns);
    }
}

template <typename T>
void launch_slope(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad, T* out, int64_t rows, int64_t columns,
                  cudaStream_t stream) {
    if (const int64_t n = rows * columns; n != 0) {
        slopes<T><<<grid_for(n), kBlock, 0, stream>>>({x}, {y}, {grad}, out, rows, columns);
    }
}

#define DIFFERENCE(T) \
    template void launch_difference<T>(MatrixView<T>, MatrixView<T>, T*, int64_t, int64_t, cudaStream_t);
#define SLOPE(T) \
    template void launch_slope<T>(MatrixView<T>, MatrixView<T>, MatrixView<T>, T*, int64_t, int64_t, cudaStream_t);
DIFFERENCE(uint8_t) DIFFERENCE(float) DIFFERENCE(double)
SLOPE(float) SLOPE(double)
