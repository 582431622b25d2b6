#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

namespace {

enum : int { kSide = 32, kRows = 8 };

template <typename T>
struct alignas(16) PaddedTile {
    T cells[kSide][kSide + 1];
    __device__ T& operator()(int row, int column) { return cells[row][column]; }
};

template <typename T>
__global__ void transpose_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows, int64_t columns,
                                 unsigned across) {
    __shared__ PaddedTile<T> tile;
    const cg::thread_block block = cg::this_thread_block();
    const int64_t top = int64_t{block.group_index().x / across} * kSide;
    const int64_t left = int64_t{block.group_index().x % across} * kSide;
    const dim3 thread = block.thread_index();
    const int lane = static_cast<int>(thread.x);
    for (int step = static_cast<int>(thread.y); step < kSide; step += kRows) {
        if (top + step < rows && left + lane < columns) tile(step, lane) = x[(top + step) * columns + left + lane];
    }
    cg::sync(block);
    for (int step = static_cast<int>(thread.y); step < kSide; step += kRows) {
        if (left + step < columns && top + lane < rows) out[(left + step) * rows + top + lane] = tile(lane, step);
    }
}

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    const auto tiles = [](int64_t extent) { return static_cast<unsigned>((extent + kSide - 1) / kSide); };
    const dim3 grid(tiles(rows) * tiles(columns)), block(kSide, kRows);
    transpose_kernel<<<grid, block, 0, stream>>>(x, out, rows, columns, tiles(columns));
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
