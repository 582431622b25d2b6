// out = a @ b. The threads of a block load a tile of a and a tile of b into shared memory, use each
// element kTile times there, and move on to the next pair of tiles.
#include <cuda_runtime.h>

#include "strides.h"

namespace {

// Rows and columns of a tile. A block has kTile x kTile threads; a warp is one row of them.
constexpr int kTile = 32;
// Elements from one row of a tile to the next in shared memory.
// --8<-- [start:row_length]
constexpr int kRowLength = kTile + 1;  // one is unused: a column of the tile spreads over all banks
// --8<-- [end:row_length]

// Fills `tile` with the elements of x (rows x columns) from (first_row, first_column) on, and with zeros
// where x has none. Every thread of the block must call it; each brings one element.
template <typename T>
__device__ void load_tile(T (&tile)[kTile][kRowLength], const T* __restrict__ x, int64_t rows,
                          int64_t columns, Strides strides, int64_t first_row,
                          int64_t first_column) {
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    // --8<-- [start:load]
    // Lanes go along whatever is contiguous in memory: a row of x, or a column if x is transposed.
    const bool down = strides.row < strides.column;
    const int r = down ? lane : warp;
    const int c = down ? warp : lane;
    const int64_t row = first_row + r, column = first_column + c;
    const bool exists = row < rows && column < columns;
    tile[r][c] = exists ? x[row * strides.row + column * strides.column] : T(0);
    // --8<-- [end:load]
}

// a: m x k, b: k x n, with any strides; out: m x n, row-major and dense. One block for each tile of
// out.
template <typename T>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t m,
                  int64_t k, int64_t n, Strides a_strides, Strides b_strides) {
    __shared__ T a_tile[kTile][kRowLength], b_tile[kTile][kRowLength];
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kTile;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kTile;
    // --8<-- [start:rounds]
    T sum = 0;
    for (int64_t first = 0; first < k; first += kTile) {
        load_tile(a_tile, a, m, k, a_strides, first_row, first);
        load_tile(b_tile, b, k, n, b_strides, first, first_column);
        __syncthreads();  // both tiles are complete: below, each warp reads what other warps loaded
        for (int i = 0; i < kTile; ++i) sum += a_tile[warp][i] * b_tile[i][lane];
        __syncthreads();  // every warp has read them: the next round overwrites both tiles
    }
    // --8<-- [end:rounds]
    // --8<-- [start:store]
    const int64_t row = first_row + warp, column = first_column + lane;
    if (row < m && column < n) out[row * n + column] = sum;
    // --8<-- [end:store]
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream) {
    // --8<-- [start:launcher]
    if (m == 0 || n == 0) return;  // nothing to write; k == 0 still launches and writes zeros
    const dim3 block(kTile, kTile);
    const dim3 grid(static_cast<unsigned>((n + kTile - 1) / kTile),
                    static_cast<unsigned>((m + kTile - 1) / kTile));
    matmul_kernel<T><<<grid, block, 0, stream>>>(a, b, out, m, k, n, a_strides, b_strides);
    // --8<-- [end:launcher]
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, Strides, Strides, cudaStream_t);
