// Transpose through a tile of 32 x 32 that is padded: the solution's, with four loads per thread in place of sixteen.
// Stands in for kernel.cu of exercise 13.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kTile = 32;  // rows and columns of a tile; a warp takes one row of it at a time
constexpr int kWarps = 8;  // of a block: 32 x 8 threads take a tile in 4 steps

// x: rows x columns, out: columns x rows, both row-major and dense. One block for each tile of x;
// `tiles_across` tiles cover a row, and the last ones may extend past the right and bottom edges.
template <typename T>
__global__ void transpose_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows,
                                 int64_t columns, unsigned tiles_across) {
    // The first row and column of x in this block's tile.
    const int64_t row = static_cast<int64_t>(blockIdx.x / tiles_across) * kTile;
    const int64_t column = static_cast<int64_t>(blockIdx.x % tiles_across) * kTile;
    const int lane = threadIdx.x, warp = threadIdx.y;

    __shared__ T tile[kTile][kTile + 1];  // one element more: a column spreads over all banks

    for (int i = warp; i < kTile; i += kWarps) {
        if (row + i < rows && column + lane < columns) {
            tile[i][lane] = x[(row + i) * columns + column + lane];
        }
    }
    // Barrier: below, a warp reads a column of the tile, and all warps wrote to that column. It is
    // outside the guard because threads beyond the edge must reach it, too.
    __syncthreads();

    for (int i = warp; i < kTile; i += kWarps) {
        if (column + i < columns && row + lane < rows) {
            out[(column + i) * rows + row + lane] = tile[lane][i];
        }
    }
}

int64_t tiles_for(int64_t extent) { return (extent + kTile - 1) / kTile; }

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    const auto tiles_across = static_cast<unsigned>(tiles_for(columns));
    const auto tiles = static_cast<unsigned>(tiles_for(rows) * tiles_for(columns));
    transpose_kernel<T>
        <<<tiles, dim3(kTile, kWarps), 0, stream>>>(x, out, rows, columns, tiles_across);
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
