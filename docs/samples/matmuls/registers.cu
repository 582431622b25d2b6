// Matrix product with two levels of tiles, an outlook: a block computes 64 x 64 elements of out, and each
// of its 16 x 16 threads computes 4 x 4 of them from registers. Stands in for kernel.cu of exercise 15.
#include <cuda_runtime.h>

#include "strides.h"

namespace {

constexpr int kThreads = 16;  // of a block, in either direction
constexpr int kEach = 4;  // elements of out per thread, in either direction
constexpr int kOut = kThreads * kEach;  // elements of out per block, in either direction
constexpr int kDepth = 32;  // of a tile, along k
constexpr int kALength = kDepth + 1;  // from row to row of a's tile
constexpr int kBLength = kOut + 1;  // from row to row of b's tile

// Fills a tile of kRows x kColumns; every thread brings several elements, in the order of memory.
template <int kRows, int kColumns, typename T, int kLength>
__device__ void load_tile(T (&tile)[kRows][kLength], const T* __restrict__ x, int64_t rows,
                          int64_t columns, Strides strides, int64_t first_row,
                          int64_t first_column) {
    const int thread = static_cast<int>(threadIdx.y) * kThreads + static_cast<int>(threadIdx.x);
    const bool down = strides.row < strides.column;
#pragma unroll 1  // fewer registers, so that more warps fit on a multiprocessor
    for (int step = 0; step < kRows * kColumns / (kThreads * kThreads); ++step) {
        const int i = step * kThreads * kThreads + thread;
        const int r = down ? i % kRows : i / kColumns;
        const int c = down ? i / kRows : i % kColumns;
        const int64_t row = first_row + r, column = first_column + c;
        const bool exists = row < rows && column < columns;
        tile[r][c] = exists ? x[row * strides.row + column * strides.column] : T(0);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads* kThreads)
    matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t m,
                  int64_t k, int64_t n, Strides a_strides, Strides b_strides) {
    __shared__ T a_tile[kOut][kALength], b_tile[kDepth][kBLength];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kOut;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kOut;
    T sums[kEach][kEach] = {};
    for (int64_t first = 0; first < k; first += kDepth) {
        load_tile<kOut, kDepth>(a_tile, a, m, k, a_strides, first_row, first);
        load_tile<kDepth, kOut>(b_tile, b, k, n, b_strides, first, first_column);
        __syncthreads();  // both tiles are complete
        // --8<-- [start:square]
#pragma unroll 4
        for (int i = 0; i < kDepth; ++i) {
            T left[kEach], right[kEach];
            for (int e = 0; e < kEach; ++e) left[e] = a_tile[y + e * kThreads][i];
            for (int e = 0; e < kEach; ++e) right[e] = b_tile[i][x + e * kThreads];
            for (int r = 0; r < kEach; ++r) {
                for (int c = 0; c < kEach; ++c) sums[r][c] += left[r] * right[c];
            }
        }
        // --8<-- [end:square]
        __syncthreads();  // every warp has read them
    }
    for (int r = 0; r < kEach; ++r) {
        for (int c = 0; c < kEach; ++c) {
            const int64_t row = first_row + y + r * kThreads;
            const int64_t column = first_column + x + c * kThreads;
            if (row < m && column < n) out[row * n + column] = sums[r][c];
        }
    }
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    const dim3 grid(static_cast<unsigned>((n + kOut - 1) / kOut),
                    static_cast<unsigned>((m + kOut - 1) / kOut));
    matmul_kernel<T><<<grid, dim3(kThreads, kThreads), 0, stream>>>(a, b, out, m, k, n, a_strides,
                                                                    b_strides);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, Strides, Strides, cudaStream_t);
