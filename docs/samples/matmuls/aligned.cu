// Tiled matrix product whose threads read four elements of a row of a tile with one instruction. The
// compiler does that on its own, because every row begins at a multiple of 16 bytes.
// Stands in for kernel.cu of exercise 15.
#include <cuda_runtime.h>

#include "strides.h"

namespace {

// Rows and columns of a tile. A block has kTile x kTile threads; a warp is one row of them.
constexpr int kTile = 32;
// Elements from one row of a tile to the next in shared memory: 16 bytes are unused.
template <typename T>
constexpr int kRowLength = kTile + static_cast<int>(16 / sizeof(T));

// Fills `tile` with the elements of x (rows x columns) from (first_row, first_column) on, and with zeros
// where x has none. Every thread of the block must call it; each brings one element.
template <typename T>
__device__ void load_tile(T (&tile)[kTile][kRowLength<T>], const T* __restrict__ x, int64_t rows,
                          int64_t columns, Strides strides, int64_t first_row,
                          int64_t first_column) {
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    // --8<-- [start:load]
    // A column of the tile has bank conflicts now, but 8 rows by 4 columns use every bank once. In a
    // transposed x these are 4 pieces of 8 neighbours, so a warp still moves 4 sectors.
    const bool down = strides.row < strides.column;
    const int r = down ? lane % 8 + warp % 4 * 8 : warp;
    const int c = down ? lane / 8 + warp / 4 * 4 : lane;
    // --8<-- [end:load]
    const int64_t row = first_row + r, column = first_column + c;
    const bool exists = row < rows && column < columns;
    tile[r][c] = exists ? x[row * strides.row + column * strides.column] : T(0);
}

// a: m x k, b: k x n, with any strides; out: m x n, row-major and dense. One block for each tile of
// out.
template <typename T>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t m,
                  int64_t k, int64_t n, Strides a_strides, Strides b_strides) {
    __shared__ T a_tile[kTile][kRowLength<T>], b_tile[kTile][kRowLength<T>];
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kTile;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kTile;
    T sum = 0;
    for (int64_t first = 0; first < k; first += kTile) {
        load_tile(a_tile, a, m, k, a_strides, first_row, first);
        load_tile(b_tile, b, k, n, b_strides, first, first_column);
        __syncthreads();  // both tiles are complete: below, each warp reads what other warps loaded
        for (int i = 0; i < kTile; ++i) sum += a_tile[warp][i] * b_tile[i][lane];
        __syncthreads();  // every warp has read them: the next round overwrites both tiles
    }
    const int64_t row = first_row + warp, column = first_column + lane;
    if (row < m && column < n) out[row * n + column] = sum;
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream) {
    if (m == 0 || n == 0) return;  // nothing to write; k == 0 still launches and writes zeros
    const dim3 block(kTile, kTile);
    const dim3 grid(static_cast<unsigned>((n + kTile - 1) / kTile),
                    static_cast<unsigned>((m + kTile - 1) / kTile));
    matmul_kernel<T><<<grid, block, 0, stream>>>(a, b, out, m, k, n, a_strides, b_strides);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, Strides, Strides, cudaStream_t);
