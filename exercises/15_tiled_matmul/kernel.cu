// out = a @ b. The threads of a block load a tile of a and a tile of b into shared memory, use each
// element kTile times there, and move on to the next pair of tiles.
#include <cuda_runtime.h>

#include "strides.h"

namespace {

// Rows and columns of a tile. A block has kTile x kTile threads; a warp is one row of them.
constexpr int kTile = 32;
// Elements from one row of a tile to the next in shared memory.
// TODO(row_length): decide when you write load: how far apart must two rows of a tile be, so that
//   its columns have no bank conflicts?, about 1 line.
constexpr int kRowLength = kTile;

// Fills `tile` with the elements of x (rows x columns) from (first_row, first_column) on, and with zeros
// where x has none. Every thread of the block must call it; each brings one element.
template <typename T>
__device__ void load_tile(T (&tile)[kTile][kRowLength], const T* __restrict__ x, int64_t rows,
                          int64_t columns, Strides strides, int64_t first_row,
                          int64_t first_column) {
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    // TODO(load): bring this thread's element of the tile, or a zero; neighbouring lanes read
    //   neighbours in memory, for a transposed x too, about 6 lines.
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
    // TODO(rounds): for each pair of tiles along k: load both, add kTile products to this thread's sum;
    //   with two barriers, about 8 lines.
    T sum = 0;
    // TODO(store): write this thread's sum, if out has that element, about 2 lines.
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream) {
    // TODO(launcher): one block of kTile x kTile threads for each tile of out; no launch for an empty
    //   result, about 5 lines.
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, Strides, Strides, cudaStream_t);
