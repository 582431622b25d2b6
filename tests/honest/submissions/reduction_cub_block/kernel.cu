#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

template <typename T>
__global__ void warp_sums_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    using WarpReduce = cub::WarpReduce<T>;
    __shared__ typename WarpReduce::TempStorage storage[kThreads / kWarp];
    const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    const int warp = threadIdx.x / kWarp;
    const T sum = WarpReduce(storage[warp]).Sum(i < n ? x[i] : T(0));
    if (threadIdx.x % kWarp == 0 && i < n) sums[i / kWarp] = sum;
}

template <typename T>
__global__ void block_sums_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    using BlockReduce = cub::BlockReduce<T, kThreads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    __shared__ typename BlockReduce::TempStorage storage;
    T sum = 0;
    const int64_t step = int64_t(gridDim.x) * kThreads;
    for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step) sum += x[i];
    sum = BlockReduce(storage).Sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <typename T>
__global__ void column_stage(const T* __restrict__ x, T* __restrict__ sums, int64_t rows, int64_t columns) {
    __shared__ T tile[kWarp][kWarp + 1];
    using WarpReduce = cub::WarpReduce<T>;
    __shared__ typename WarpReduce::TempStorage storage[kWarp];
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int64_t column = int64_t(blockIdx.x) * kWarp;
    T sum = 0;
    if (column + lane < columns) {
        for (int64_t row = int64_t(blockIdx.y) * kWarp + warp; row < rows; row += int64_t(gridDim.y) * kWarp) {
            sum += x[row * columns + column + lane];
        }
    }
    tile[warp][lane] = sum;
    __syncthreads();
    sum = WarpReduce(storage[warp]).Sum(tile[lane][warp]);
    if (lane == 0 && column + warp < columns) sums[int64_t(blockIdx.y) * columns + column + warp] = sum;
}

}  // namespace

template <typename T>
void launch_sums(const T* x, T* sums, int64_t n, bool by_block, cudaStream_t stream) {
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    (by_block ? block_sums_kernel<T> : warp_sums_kernel<T>)<<<blocks, kThreads, 0, stream>>>(x, sums, n);
}

template <typename T>
void launch_stage(const T* x, T* sums, int64_t rows, int64_t columns, int64_t parts, cudaStream_t stream) {
    if (columns == 0) return;
    if (columns == 1) {
        block_sums_kernel<T><<<static_cast<unsigned>(parts), kThreads, 0, stream>>>(x, sums, rows);
    } else {
        const dim3 grid(static_cast<unsigned>((columns + kWarp - 1) / kWarp), static_cast<unsigned>(parts));
        column_stage<T><<<grid, dim3(kWarp, kWarp), 0, stream>>>(x, sums, rows, columns);
    }
}

int64_t parts_for(int64_t rows, int64_t columns) {
    if (columns <= 1) return std::clamp<int64_t>(rows / 4096, 1, 1024);
    return std::clamp<int64_t>(std::min(rows / 128, 264 / ((columns + kWarp - 1) / kWarp)), 1, 256);
}

template void launch_sums<float>(const float*, float*, int64_t, bool, cudaStream_t);
template void launch_sums<double>(const double*, double*, int64_t, bool, cudaStream_t);
template void launch_stage<float>(const float*, float*, int64_t, int64_t, int64_t, cudaStream_t);
template void launch_stage<double>(const double*, double*, int64_t, int64_t, int64_t, cudaStream_t);
