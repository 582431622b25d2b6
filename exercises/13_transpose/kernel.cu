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

    // TODO(tile): the tile in shared memory, laid out so that neither its rows nor its columns have
    //   bank conflicts, about 1 line.

    // TODO(load): each warp copies rows of x into the tile, 32 elements at a time; then the block
    //   waits, about 11 lines.

    // TODO(store): each warp writes rows of out, which are columns of the tile, about 10 lines.
}

int64_t tiles_for(int64_t extent) { return (extent + kTile - 1) / kTile; }

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    // TODO(launcher): one block of kWarp x kWarps threads for each tile; no launch for an empty matrix,
    //   about 5 lines.
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
