// Counting by value.
#include <cooperative_groups.h>
#include "checks.h"

typedef unsigned int uint;
typedef unsigned char uchar;

#define BIN_COUNT 256
#define WARP_SIZE 32

/* ---- straight into global memory ----------------------------------------------------------------------------------------- */
__global__ void histogram_global_kernel(const uchar *data, uint *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    while (i < n) {
        atomicAdd(&(bins[data[i]]), 1);
        i += stride;
    }
}
extern "C" void histogram_global(const uchar *data, uint *bins, int n)
{
    cudaMemset(bins, 0, BIN_COUNT * sizeof(uint));
    histogram_global_kernel<<<4, 96>>>(data, bins, n);
}

/* ---- a histogram per block, four bytes at a time -------------------------------------------------------------------------- */
__global__ void histogram_shared_kernel(const uint *__restrict__ data4, uint *__restrict__ bins, int words, int n)
{
    __shared__ uint s_bins[BIN_COUNT];
    for (int b = threadIdx.x; b < BIN_COUNT; b += blockDim.x) s_bins[b] = 0;
    __syncthreads();   // zeroed

    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += blockDim.x * gridDim.x) {
        const uint four = data4[w];
#pragma unroll
        for (int byte = 0; byte < 4; ++byte) atomicAdd(s_bins + ((four >> (8 * byte)) & 0xFFu), 1u);
    }
    if (blockIdx.x == 0 && threadIdx.x < (n & 3))   // what no word holds
        atomicAdd(&s_bins[reinterpret_cast<const uchar *>(data4)[words * 4 + threadIdx.x]], 1u);
    __syncthreads();   // counted

    for (int b = threadIdx.x; b < BIN_COUNT; b += blockDim.x)
        if (s_bins[b]) atomicAdd(&bins[b], s_bins[b]);
}
extern "C" void histogram_shared(const uint *data, uint *bins, int n)
{
    CUDA_CHECK(cudaMemsetAsync(bins, 0, BIN_COUNT * sizeof *bins));
    histogram_shared_kernel<<<3, 64>>>(data, bins, n / 4, n);
}

/* ---- a histogram per warp, merged by a second kernel ------------------------------------------------------------------------ */
template <int kBins, int kWarps>
__global__ void histogram_warps(const int *data, uint *partial, int n) {
  __shared__ uint warp_bins[kWarps][kBins];
  uint (&mine)[kBins] = warp_bins[threadIdx.x / WARP_SIZE];
  for (int b = threadIdx.x % WARP_SIZE; b < kBins; b += WARP_SIZE) mine[b] = 0u;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd_block(&mine[data[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
    uint sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += warp_bins[w][b];
    partial[blockIdx.x * kBins + b] = sum;
  }
}
template <int kBins>
__global__ void merge_histograms(const uint* partial, uint* bins, int count) {
  uint sum = 0;
  for (int p = 0; p < count; ++p) sum += partial[p * kBins + threadIdx.x];
  bins[threadIdx.x] = sum;
}
extern "C" void histogram_two_kernels(const int* data, uint* bins, int n) {
  enum { kBins = 40, kWarps = 3, kBlocks = 5 };
  uint* partial;
  CUDA_CHECK(cudaMalloc(&partial, kBlocks * kBins * sizeof(uint)));
  histogram_warps<kBins, kWarps><<<kBlocks, kWarps * WARP_SIZE>>>(data, partial, n);
  merge_histograms<kBins><<<1, kBins>>>(partial, bins, kBlocks);
  CUDA_CHECK(cudaFree(partial));
}

/* ---- more bins than shared memory: one pass per range of bins ------------------------------------------------------------------ */
__global__ void histogram_range(const unsigned short *data, uint *bins, int n, int first, int count)
{
    extern __shared__ uint range[];
    for (int b = threadIdx.x; b < count; b += blockDim.x) range[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const uint b = data[i] - first;
        if (b < count) atomicInc(&range[b], 0xffffffffu);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < count; b += blockDim.x)
        atomicAdd(&bins[first + b], range[b]);
}
extern "C" void histogram_passes(const unsigned short *data, uint *bins, int n, int total)
{
    const int per_pass = 300;
    cudaMemset(bins, 0, total * sizeof(uint));
    for (int first = 0; first < total; first += per_pass) {
        const int count = total - first < per_pass ? total - first : per_pass;
        histogram_range<<<2, 128, count * sizeof(uint)>>>(data, bins, n, first, count);
    }
}

/* ---- equal values of a warp count once: __match_any_sync -------------------------------------------------------------------------- */
__global__ void histogram_match(const int *data, uint *bins, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned inside = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    const unsigned peers = __match_any_sync(inside, data[i]);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(bins + data[i], (uint)__popc(peers));
}
extern "C" void histogram_by_match(const int *data, uint *bins, int n, int count)
{
    cudaMemset(bins, 0, count * sizeof(uint));
    histogram_match<<<(n + 127) / 128, 128>>>(data, bins, n);
}

/* ---- two dimensions, floating weights, shared array with two bounds ----------------------------------------------------------------- */
__global__ void histogram2d_kernel(const float2 *points, const double *weights, double *bins, int n)
{
    __shared__ double cells[8][8 + 1];
    if (threadIdx.y < 8 && threadIdx.x < 8) cells[threadIdx.y][threadIdx.x] = 0.0;
    __syncthreads();
    const int rank = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = blockIdx.x * blockDim.x * blockDim.y + rank; i < n; i += gridDim.x * blockDim.x * blockDim.y) {
        const float2 p = points[i];
        const int x = min(max(__float2int_rd(p.x * 8.f), 0), 7), y = min(max((int)floorf(p.y * 8.f), 0), 7);
        atomicAdd(&cells[y][x], weights[i]);
    }
    __syncthreads();
    if (rank < 64) atomicAdd(&bins[rank], cells[rank / 8][rank % 8]);
}
extern "C" void histogram2d(const float2 *points, const double *weights, double *bins, int n)
{
    cudaMemset(bins, 0, 64 * sizeof(double));
    histogram2d_kernel<<<2, dim3(16, 8)>>>(points, weights, bins, n);
}
