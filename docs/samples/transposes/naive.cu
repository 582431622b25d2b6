// Transpose, step 1: every thread moves one element from its place in x to its place in out.
// Stands in for kernel.cu of exercise 13.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr unsigned kColumns = 32;  // of a block: one warp for each of its rows
constexpr unsigned kRows = 8;

template <typename T>
__global__ void transpose_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows,
                                 int64_t columns, unsigned blocks_across) {
    // --8<-- [start:kernel]
    const int64_t row = static_cast<int64_t>(blockIdx.x / blocks_across) * kRows + threadIdx.y;
    const int64_t column = static_cast<int64_t>(blockIdx.x % blocks_across) * kColumns + threadIdx.x;
    if (row >= rows || column >= columns) return;
    out[column * rows + row] = x[row * columns + column];
    // --8<-- [end:kernel]
}

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    const int64_t across = (columns + kColumns - 1) / kColumns, down = (rows + kRows - 1) / kRows;
    transpose_kernel<T><<<static_cast<unsigned>(across * down), dim3(kColumns, kRows), 0, stream>>>(
        x, out, rows, columns, static_cast<unsigned>(across));
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
