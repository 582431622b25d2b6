// Transpose without padding: row r of the tile stores its column c at c ^ r, which spreads a column over the banks.
// Stands in for kernel.cu of exercise 13.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kTile = 32;
constexpr int kWarps = 8;

template <typename T>
__global__ void transpose_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows,
                                 int64_t columns, unsigned tiles_across) {
    const int64_t row = static_cast<int64_t>(blockIdx.x / tiles_across) * kTile;
    const int64_t column = static_cast<int64_t>(blockIdx.x % tiles_across) * kTile;
    const int lane = threadIdx.x, warp = threadIdx.y;

    // --8<-- [start:kernel]
    __shared__ T tile[kTile][kTile];
    for (int i = warp; i < kTile; i += kWarps) {
        if (row + i < rows && column + lane < columns) {
            tile[i][lane ^ i] = x[(row + i) * columns + column + lane];
        }
    }
    __syncthreads();  // all warps wrote to each column of the tile
    for (int i = warp; i < kTile; i += kWarps) {
        if (column + i < columns && row + lane < rows) {
            out[(column + i) * rows + row + lane] = tile[lane][i ^ lane];
        }
    }
    // --8<-- [end:kernel]
}

int64_t tiles_for(int64_t extent) { return (extent + kTile - 1) / kTile; }

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    const auto tiles = static_cast<unsigned>(tiles_for(rows) * tiles_for(columns));
    transpose_kernel<T><<<tiles, dim3(kTile, kWarps), 0, stream>>>(
        x, out, rows, columns, static_cast<unsigned>(tiles_for(columns)));
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
