// Kernels as learners write them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <float.h>

namespace cg = cooperative_groups;

template <typename T, int TILE>
__global__ void matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int m, int n, int k) {
    __shared__ T left[TILE][TILE];
    __shared__ T right[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int first = 0; first < k; first += TILE) {
        const int inner = first + threadIdx.x, down = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && inner < k ? a[row * k + inner] : T(0);
        right[threadIdx.y][threadIdx.x] = column < n && down < k ? b[down * n + column] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
template <typename T>
void launch_matmul(const T* a, const T* b, T* c, int m, int n, int k) {
    constexpr int tile = 8;
    matmul_kernel<T, tile><<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile)>>>(a, b, c, m, n, k);
}
extern "C" void matmul_float(const float* a, const float* b, float* c, int m, int n, int k) { launch_matmul(a, b, c, m, n, k); }
extern "C" void matmul_double(const double* a, const double* b, double* c, int m, int n, int k) { launch_matmul(a, b, c, m, n, k); }

__device__ __forceinline__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset >>= 1) value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, offset));
    return value;
}
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffff, value, offset);
    return value;
}
// A row per block: rows of any length, a block of several warps.
__global__ void softmax_kernel(const float* in, float* out, int columns) {
    __shared__ float across[32];
    const float* row = in + blockIdx.x * columns;
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, warps = blockDim.x / warpSize;
    float largest = -FLT_MAX;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = max(largest, row[i]);
    largest = warp_max(largest);
    if (lane == 0) across[warp] = largest;
    __syncthreads();
    largest = warp_max(lane < warps ? across[lane] : -FLT_MAX);
    __syncthreads();
    float total = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) total += __expf(row[i] - largest);
    total = warp_sum(total);
    if (lane == 0) across[warp] = total;
    __syncthreads();
    total = warp_sum(lane < warps ? across[lane] : 0.0f);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = __fdividef(__expf(row[i] - largest), total);
}
extern "C" void softmax(const float* in, float* out, int rows, int columns) { softmax_kernel<<<rows, 96>>>(in, out, columns); }

// Four floats at a time, with a tail.
__global__ void scale_kernel(const float* in, float* out, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
        __stcs(reinterpret_cast<float4*>(out) + i, v);
    } else
        for (int j = 4 * i; j < n; ++j) out[j] = __ldg(in + j) * factor;
}
extern "C" void scale(const float* in, float* out, float factor, int n) { scale_kernel<<<(n / 4 + 256) / 256, 256>>>(in, out, factor, n); }

// out = a * b + c in pairs of halves.
__global__ void half_muladd_kernel(const __half2* a, const __half2* b, const __half2* c, __half2* out, int pairs) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += blockDim.x * gridDim.x) out[i] = __hfma2(a[i], b[i], c[i]);
}
extern "C" void half_muladd(const __half2* a, const __half2* b, const __half2* c, __half2* out, int pairs) {
    half_muladd_kernel<<<2, 32>>>(a, b, c, out, pairs);
}

// Cooperative groups: tiles, coalesced threads, scans.
__global__ void groups_kernel(const int* in, int* out, int n) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    int i = block.thread_rank(), value = in[i];
    out[i] = cg::reduce(tile, value, cg::plus<int>());
    out[n + i] = cg::reduce(warp, value, cg::greater<int>());
    out[2 * n + i] = cg::inclusive_scan(warp, value);
    out[3 * n + i] = cg::exclusive_scan(tile, value, cg::plus<int>());
    out[4 * n + i] = tile.shfl_down(value, 3) * 100 + tile.shfl(value, 0);
    out[5 * n + i] = tile.ballot(value % 2);
    out[6 * n + i] = tile.meta_group_rank() * 1000 + warp.meta_group_rank() * 100 + warp.thread_rank();
    if (value % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        out[7 * n + i] = active.size() * 100 + active.thread_rank() * 10 + (active.shfl(value, 1) == value);
        out[8 * n + i] = cg::reduce(active, value, cg::less<int>());
    }
    auto odd = cg::binary_partition(warp, value % 2);
    out[9 * n + i] = odd.size();
}
extern "C" void groups(const int* in, int* out, int n) { groups_kernel<<<1, n>>>(in, out, n); }

// Two phases over the whole grid with a grid-wide barrier between them.
__global__ void grid_kernel(const float* in, float* partial, float* out, int n) {
    cg::grid_group grid = cg::this_grid();
    float sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    sum = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), sum, cg::plus<float>());
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    grid.sync();
    float total = 0;
    for (int i = 0; i < gridDim.x; ++i) total += partial[i];
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
extern "C" void grid(const float* in, float* partial, float* out, int n) {
    void* arguments[] = {&in, &partial, &out, &n};
    cudaLaunchCooperativeKernel((void*)grid_kernel, dim3(6), dim3(32), arguments);
}

// Tiles copied in the background, two at a time; the last one is filled up with zeros.
__global__ void pipelined_sum_kernel(const float4* in, float* out, int n) {
    __shared__ float4 tiles[2][32];
    float sum = 0;
    const int count = (n + 127) / 128;
    for (int tile = 0; tile <= count; ++tile) {
        if (tile < count) {
            const int first = tile * 128 + threadIdx.x * 4;
            const int missing = min(max(first + 4 - n, 0), 4);
            __pipeline_memcpy_async(&tiles[tile % 2][threadIdx.x], in + (missing < 4 ? first / 4 : 0), 16, missing * 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        if (tile > 0) {
            const float4 v = tiles[(tile - 1) % 2][31 - threadIdx.x];
            sum += v.x + v.y + v.z + v.w;
        }
        __syncthreads();
    }
    sum = warp_sum(sum);
    if (threadIdx.x == 0) out[0] = sum;
}
extern "C" void pipelined_sum(const float4* in, float* out, int n) { pipelined_sum_kernel<<<1, 32>>>(in, out, n); }
