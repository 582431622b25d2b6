// out = x with rows and columns exchanged. A tile in shared memory lets the kernel read and write
// global memory along rows.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kTile = 64;  // rows and columns of a tile
constexpr int kWarps = 8;  // of a block: each takes 8 rows of the tile, 32 elements at a time

// x: rows x columns, out: columns x rows, both row-major and dense. One block for each tile of x;
// `tiles_down` tiles cover a column, and the last ones may extend past the right and bottom edges.
// Blocks that run at the same time have tiles below each other: they write whole rows of out.
template <typename T>
__global__ void transpose_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows,
                                 int64_t columns, unsigned tiles_down) {
    // The first row and column of x in this block's tile.
    const int64_t row = static_cast<int64_t>(blockIdx.x % tiles_down) * kTile;
    const int64_t column = static_cast<int64_t>(blockIdx.x / tiles_down) * kTile;
    const int lane = threadIdx.x, warp = threadIdx.y;

    // --8<-- [start:tile]
    __shared__ T tile[kTile][kTile + 1];  // one element more: a column spreads over all banks
    // --8<-- [end:tile]

    // --8<-- [start:load]
    // Unrolled, no load depends on another: the 16 of a thread are in flight together.
#pragma unroll
    for (int down = 0; down < kTile; down += kWarps) {
#pragma unroll
        for (int across = 0; across < kTile; across += kWarp) {
            const int i = down + warp, j = across + lane;
            if (row + i < rows && column + j < columns) {
                tile[i][j] = x[(row + i) * columns + column + j];
            }
        }
    }
    // Barrier: below, a warp reads a column of the tile, and all warps wrote to that column. It is
    // outside the guard because threads beyond the edge must reach it, too.
    __syncthreads();
    // --8<-- [end:load]

    // --8<-- [start:store]
    // A warp reads a column of the tile and writes a row of out.
#pragma unroll
    for (int down = 0; down < kTile; down += kWarps) {
#pragma unroll
        for (int across = 0; across < kTile; across += kWarp) {
            const int i = down + warp, j = across + lane;
            if (column + i < columns && row + j < rows) {
                out[(column + i) * rows + row + j] = tile[j][i];
            }
        }
    }
    // --8<-- [end:store]
}

int64_t tiles_for(int64_t extent) { return (extent + kTile - 1) / kTile; }

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    // --8<-- [start:launcher]
    if (rows == 0 || columns == 0) return;
    const auto tiles_down = static_cast<unsigned>(tiles_for(rows));
    const auto tiles = static_cast<unsigned>(tiles_for(rows) * tiles_for(columns));
    transpose_kernel<T>
        <<<tiles, dim3(kWarp, kWarps), 0, stream>>>(x, out, rows, columns, tiles_down);
    // --8<-- [end:launcher]
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
