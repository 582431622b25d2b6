// Sums by warps, by blocks, of a vector and of the columns of a matrix. For the last two, many blocks
// compute partial sums, then a second launch of the same kernel adds those up.
#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 8;
constexpr int kThreadsPerBlock = kWarpsPerBlock * kWarp;
constexpr unsigned kEveryLane = 0xffffffffu;

// The sum of the `value`s of a warp, in its lane 0; what the other lanes get is of no use. Every lane
// must call it.
template <typename T>
__device__ T warp_sum(T value) {
    // TODO(warp_sum): five rounds of __shfl_down_sync, each over half the distance of the one before,
    //   about 4 lines.
    return value;
}

// Part 1. x: n elements. sums: one for every 32 of them.
template <typename T>
__global__ void warp_sums_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const T sum = warp_sum(i < n ? x[i] : T(0));  // no early return: every lane has to make the call
    if (i < n && threadIdx.x % kWarp == 0) sums[i / kWarp] = sum;
}

// The sum of the `value`s of a block of kThreadsPerBlock threads, in its thread 0. Every thread must
// call it, once.
template <typename T>
__device__ T block_sum(T value) {
    __shared__ T sum_of_warp[kWarpsPerBlock];
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    // TODO(block_sum): put every warp's sum into sum_of_warp, then let the first warp add those up,
    //   about 5 lines.
    return value;
}

// Part 2. x: n elements. sums: one for every kThreadsPerBlock of them.
template <typename T>
__global__ void block_sums_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const T sum = block_sum(i < n ? x[i] : T(0));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Part 3. x: n elements. sums: one partial sum for each block.
template <typename T>
__global__ void vector_stage(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    // TODO(vector_stage): add up this thread's share of x in a grid-stride loop, then the block's sum;
    //   thread 0 writes it, about 6 lines.
}

// Part 4. x: rows x columns, row-major and dense. sums: gridDim.y x columns, one row of partial sums for each
// blockIdx.y. A block of 32 x 32 threads covers a strip of 32 columns: thread (lane, warp) reads column
// `lane` of it.
template <typename T>
__global__ void column_stage(const T* __restrict__ x, T* __restrict__ sums, int64_t rows,
                             int64_t columns) {
    __shared__ T tile[kWarp][kWarp + 1];  // padded: a column of it is spread over all 32 banks
    const int lane = static_cast<int>(threadIdx.x);
    const int warp = static_cast<int>(threadIdx.y);
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kWarp;
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kWarp;
    const int64_t rows_at_once = static_cast<int64_t>(gridDim.y) * kWarp;
    // TODO(read_rows): the sum of column first_column + lane over the rows that belong to this warp,
    //   about 7 lines.
    T sum = 0;
    // TODO(turn): put the sums into the tile, let each warp add up one column of it, write the sum if x
    //   has that column, about 6 lines.
}

}  // namespace

// The sum of every 32 elements of x, or of every 256 with `by_block`.
template <typename T>
void launch_sums(const T* x, T* sums, int64_t n, bool by_block, cudaStream_t stream) {
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
    if (by_block) {
        block_sums_kernel<T><<<blocks, kThreadsPerBlock, 0, stream>>>(x, sums, n);
    } else {
        warp_sums_kernel<T><<<blocks, kThreadsPerBlock, 0, stream>>>(x, sums, n);
    }
}

// Adds up the rows of x (rows x columns) into sums (parts x columns). With parts = 1, those are the sums
// of the columns.
template <typename T>
void launch_stage(const T* x, T* sums, int64_t rows, int64_t columns, int64_t parts,
                  cudaStream_t stream) {
    if (columns == 0) return;
    const auto blocks = static_cast<unsigned>(parts);
    if (columns == 1) {
        vector_stage<T><<<blocks, kThreadsPerBlock, 0, stream>>>(x, sums, rows);
        return;
    }
    const auto strips = static_cast<unsigned>((columns + kWarp - 1) / kWarp);
    column_stage<T>
        <<<dim3(strips, blocks), dim3(kWarp, kWarp), 0, stream>>>(x, sums, rows, columns);
}

// The number of partial sums per column. For a matrix: as many blocks of 1024 threads as an H200 has
// multiprocessors, 132. More of them only add partial sums to write and to read.
int64_t parts_for(int64_t rows, int64_t columns) {
    if (columns <= 1) return std::clamp<int64_t>(rows / 4096, 1, 1024);
    const int64_t strips = (columns + kWarp - 1) / kWarp;
    return std::clamp<int64_t>(std::min(rows / 128, 132 / strips), 1, 256);
}

template void launch_sums<float>(const float*, float*, int64_t, bool, cudaStream_t);
template void launch_sums<double>(const double*, double*, int64_t, bool, cudaStream_t);
template void launch_stage<float>(const float*, float*, int64_t, int64_t, int64_t, cudaStream_t);
template void launch_stage<double>(const double*, double*, int64_t, int64_t, int64_t, cudaStream_t);
