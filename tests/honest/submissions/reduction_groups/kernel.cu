#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256, kLanes = 32;

template <typename T>
__device__ T sum_of_tile(const cg::thread_block_tile<kLanes>& tile, T value) {
    return cg::reduce(tile, value, cg::plus<T>());
}

template <typename T>
__device__ T sum_of_block(const cg::thread_block& block, T value) {
    __shared__ T partial[kThreads / kLanes];
    const auto tile = cg::tiled_partition<kLanes>(block);
    value = sum_of_tile(tile, value);
    if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = value;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        value = sum_of_tile(tile, tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : T{});
    }
    return value;
}

template <typename T>
__global__ void by_warp(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    const auto tile = cg::tiled_partition<kLanes>(cg::this_thread_block());
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const T sum = sum_of_tile(tile, i < n ? x[i] : T{});
    if (i < n && tile.thread_rank() == 0) sums[i / kLanes] = sum;
}

template <typename T>
__global__ void by_block(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    const auto block = cg::this_thread_block();
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const T sum = sum_of_block(block, i < n ? x[i] : T{});
    if (block.thread_rank() == 0) sums[blockIdx.x] = sum;
}

template <typename T>
__global__ void of_vector(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    const auto grid = cg::this_grid();
    T sum{};
    for (auto i = static_cast<int64_t>(grid.thread_rank()); i < n; i += static_cast<int64_t>(grid.size())) sum += x[i];
    sum = sum_of_block(cg::this_thread_block(), sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <typename T>
__global__ void of_columns(const T* __restrict__ x, T* __restrict__ sums, int64_t rows, int64_t columns) {
    __shared__ T cells[kLanes][kLanes + 1];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<kLanes>(block);
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int64_t left = int64_t{blockIdx.x} * kLanes;
    T sum{};
    if (left + lane < columns) {
        for (int64_t row = int64_t{blockIdx.y} * kLanes + warp; row < rows; row += int64_t{gridDim.y} * kLanes) {
            sum += x[row * columns + left + lane];
        }
    }
    cells[warp][lane] = sum;
    block.sync();
    sum = sum_of_tile(tile, cells[lane][warp]);
    if (lane == 0 && left + warp < columns) sums[int64_t{blockIdx.y} * columns + left + warp] = sum;
}

}  // namespace

template <typename T>
void launch_sums(const T* x, T* sums, int64_t n, bool block, cudaStream_t stream) {
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    if (block) {
        by_block<<<blocks, kThreads, 0, stream>>>(x, sums, n);
    } else {
        by_warp<<<blocks, kThreads, 0, stream>>>(x, sums, n);
    }
}

template <typename T>
void launch_stage(const T* x, T* sums, int64_t rows, int64_t columns, int64_t parts, cudaStream_t stream) {
    if (columns == 0) return;
    const auto blocks = static_cast<unsigned>(parts);
    if (columns == 1) {
        of_vector<<<blocks, kThreads, 0, stream>>>(x, sums, rows);
    } else {
        const dim3 grid(static_cast<unsigned>((columns + kLanes - 1) / kLanes), blocks), block(kLanes, kLanes);
        of_columns<<<grid, block, 0, stream>>>(x, sums, rows, columns);
    }
}

int64_t parts_for(int64_t rows, int64_t columns) {
    if (columns <= 1) return std::clamp<int64_t>(rows / 4096, 1, 1024);
    const int64_t strips = (columns + kLanes - 1) / kLanes;
    return std::clamp<int64_t>(std::min(rows / 128, 264 / strips), 1, 256);
}

#define INSTANTIATE(T)                                                                     \
    template void launch_sums<T>(const T*, T*, int64_t, bool, cudaStream_t);               \
    template void launch_stage<T>(const T*, T*, int64_t, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
