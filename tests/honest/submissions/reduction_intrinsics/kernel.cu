#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/std/functional>
#include <cuda_runtime.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

namespace {

enum : unsigned { kWarp = 32, kThreads = 256, kAll = 0xffffffffu };

#ifdef DEBUG_KERNELS
#define KERNEL_CHECK(x) do { if (!(x)) { printf("%s failed in block %u\n", #x, blockIdx.x); __trap(); } } while (0)
#else
#define KERNEL_CHECK(x) assert(x)
#endif

__device__ __noinline__ unsigned lane_id() { return threadIdx.x & (kWarp - 1u); }

template <typename T>
__device__ __forceinline__ T add(T a, T b) { return a + b; }
template <>
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
template <>
__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }

template <typename T>
__device__ T butterfly(T value) {
#pragma unroll
    for (unsigned mask = kWarp >> 1; mask; mask >>= 1) value = add(value, __shfl_xor_sync(kAll, value, mask));
    return value;
}

template <typename T>
__global__ void warp_sums(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned present = __ballot_sync(kAll, i < n);
    KERNEL_CHECK(__popc(present) <= 32);
    const T sum = butterfly(i < n ? __ldcs(x + i) : T(0));
    __syncwarp();
    if (present && lane_id() == static_cast<unsigned>(__ffs(static_cast<int>(present))) - 1) sums[i / kWarp] = sum;
}

template <typename T>
__global__ void block_sums(const T* __restrict__ x, T* __restrict__ sums, int64_t n) {
    __shared__ T partial[kThreads / kWarp];
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<kWarp>(block);
    T sum{};
    for (int64_t i = int64_t(blockIdx.x) * kThreads + block.thread_rank(); i < n; i += int64_t(gridDim.x) * kThreads) {
        sum = add(sum, x[i]);
    }
    sum = cg::reduce(warp, sum, cg::plus<T>());
    if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        sum = butterfly(warp.thread_rank() < kThreads / kWarp ? partial[warp.thread_rank()] : T(0));
        if (warp.thread_rank() == 0) sums[blockIdx.x] = sum;
    }
}

template <typename T>
__global__ void columns_stage(const T* __restrict__ x, T* __restrict__ sums, int64_t rows, int64_t columns) {
    __shared__ T tile[kWarp][kWarp + 1];
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const int64_t column = int64_t(blockIdx.x) * kWarp;
    T sum{};
    if (column + tx < columns) {
        for (int64_t r = int64_t(blockIdx.y) * kWarp + ty; r < rows; r += int64_t(gridDim.y) * kWarp) sum = add(sum, x[r * columns + column + tx]);
    }
    tile[ty][tx] = sum;
    __syncthreads();
    sum = butterfly(tile[tx][ty]);
    if (tx == 0 && column + ty < columns) sums[int64_t(blockIdx.y) * columns + column + ty] = sum;
}

}  // namespace

template <typename T>
void launch_sums(const T* x, T* sums, int64_t n, bool by_block, cudaStream_t stream) {
    if (n == 0) return;
    const auto kernel = by_block ? &block_sums<T> : &warp_sums<T>;
    kernel<<<unsigned((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, sums, n);
}

template <typename T>
void launch_stage(const T* x, T* sums, int64_t rows, int64_t columns, int64_t parts, cudaStream_t stream) {
    if (columns == 0) return;
    if (columns == 1) {
        block_sums<T><<<unsigned(parts), kThreads, 0, stream>>>(x, sums, rows);
        return;
    }
    columns_stage<T><<<dim3(unsigned((columns + kWarp - 1) / kWarp), unsigned(parts)), dim3(kWarp, kWarp), 0, stream>>>(x, sums, rows, columns);
}

int64_t parts_for(int64_t rows, int64_t columns) {
    static const int multiprocessors = [] {
        int device = 0, count = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
        return std::max(count, 1);
    }();
    if (columns <= 1) return std::clamp<int64_t>(rows / 4096, 1, 1024);
    return std::clamp<int64_t>(std::min<int64_t>(rows / 128, 2 * multiprocessors / ((columns + kWarp - 1) / kWarp)), 1, 256);
}

template void launch_sums<float>(const float*, float*, int64_t, bool, cudaStream_t);
template void launch_sums<double>(const double*, double*, int64_t, bool, cudaStream_t);
template void launch_stage<float>(const float*, float*, int64_t, int64_t, int64_t, cudaStream_t);
template void launch_stage<double>(const double*, double*, int64_t, int64_t, int64_t, cudaStream_t);
