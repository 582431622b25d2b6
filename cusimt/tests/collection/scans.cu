// Prefix sums, from one block to one pass over everything.
#include <cooperative_groups.h>
#include <stdint.h>
#include "checks.h"

/* ---- Hillis and Steele, two buffers -------------------------------------------------------------------------------------- */
__global__ void scan_naive(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[]; // allocated on invocation

    int thid = threadIdx.x;
    int pout = 0, pin = 1;

    // exclusive: shift right by one, first element 0
    temp[pout * n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
    __syncthreads();

    for (int offset = 1; offset < n; offset *= 2)
    {
        pout = 1 - pout; // swap the two halves
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }

    g_odata[thid] = temp[pout * n + thid];
}
extern "C" void scan_hillis_steele(float *out, float *in, int n)
{
    scan_naive<<<1, n, 2 * n * sizeof(float)>>>(out, in, n);
}

/* ---- Blelloch, padded against bank conflicts -------------------------------------------------------------------------------- */
#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#ifdef ZERO_BANK_CONFLICTS
#define CONFLICT_FREE_OFFSET(n) ((n) >> NUM_BANKS + (n) >> (2 * LOG_NUM_BANKS))
#else
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#endif
#define PADDED(n) ((n) + CONFLICT_FREE_OFFSET(n))

template <typename T, int LOG_N, bool WRITE_TOTAL>
__global__ void blelloch(const T *__restrict__ in, T *out, T *totals, int n)
{
    constexpr int N = 1 << LOG_N;
    __shared__ T temp[PADDED(N - 1) + 1];
    const int base = blockIdx.x * N, ai = threadIdx.x, bi = threadIdx.x + N / 2;
    temp[PADDED(ai)] = base + ai < n ? in[base + ai] : T(0);
    temp[PADDED(bi)] = base + bi < n ? in[base + bi] : T(0);

    int offset = 1;
    for (int d = N >> 1; d > 0; d >>= 1) {   // up
        __syncthreads();
        if (threadIdx.x < d) {
            int a = offset * (2 * threadIdx.x + 1) - 1, b = offset * (2 * threadIdx.x + 2) - 1;
            temp[PADDED(b)] += temp[PADDED(a)];
        }
        offset <<= 1;
    }
    if (threadIdx.x == 0) {
        if constexpr (WRITE_TOTAL) totals[blockIdx.x] = temp[PADDED(N - 1)];
        temp[PADDED(N - 1)] = 0;
    }
    for (int d = 1; d < N; d <<= 1) {        // and down again
        offset >>= 1;
        __syncthreads();
        if (threadIdx.x < d) {
            int a = offset * (2 * threadIdx.x + 1) - 1, b = offset * (2 * threadIdx.x + 2) - 1;
            T t = temp[PADDED(a)];
            temp[PADDED(a)] = temp[PADDED(b)];
            temp[PADDED(b)] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) out[base + ai] = temp[PADDED(ai)];
    if (base + bi < n) out[base + bi] = temp[PADDED(bi)];
}

__global__ void add_offsets(int *data, const int *offsets, int n, int per_block)
{
    int offset = offsets[blockIdx.x];
    for (int i = threadIdx.x; i < per_block && blockIdx.x * per_block + i < n; i += blockDim.x)
        data[blockIdx.x * per_block + i] += offset;
}

// scan blocks, scan their totals, add
extern "C" void scan_three_kernels(const int *in, int *out, int n)
{
    constexpr int kLog = 7, kElements = 1 << kLog;
    const int blocks = ceil_div(n, kElements);
    int *totals = nullptr, *offsets = nullptr;
    CUDA_CHECK(cudaMalloc(&totals, blocks * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&offsets, blocks * sizeof(int)));
    blelloch<int, kLog, true> <<<blocks, kElements >> 1>>> (in, out, totals, n);
    blelloch<int, 5, (kLog < 3)> <<<1, (kElements > 64 ? 16 : 32)>>> (totals, offsets, (int *)nullptr, blocks);
    add_offsets<<<blocks, 64>>>(out, offsets, n, kElements);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaFree(totals));
    CUDA_CHECK(cudaFree(offsets));
}

/* ---- a scan per warp, then of the warps' totals --------------------------------------------------------------------------------- */
template <typename T>
__device__ __forceinline__ T warp_inclusive_scan(T value, const unsigned lane)
{
    #pragma unroll
    for (unsigned d = 1; d < 32; d <<= 1) {
        const T other = __shfl_up_sync(0xffffffffU, value, d);
        if (lane >= d) value += other;
    }
    return value;
}

template <typename T>
__device__ T block_inclusive_scan(T value)
{
    __shared__ T warp_totals[32];
    const unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = warp_inclusive_scan(value, lane);
    if (lane == warpSize - 1) warp_totals[warp] = value;
    __syncthreads();
    if (warp == 0) warp_totals[lane] = warp_inclusive_scan(lane < blockDim.x / warpSize ? warp_totals[lane] : T(), lane);
    __syncthreads();
    return warp > 0 ? value + warp_totals[warp - 1] : value;
}

__global__ void scan_rows_kernel(const double *in, double *out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = block_inclusive_scan(in[i]);
}
extern "C" void scan_rows(const double *in, double *out, int rows, int cols) { scan_rows_kernel<<<rows,cols>>>(in, out); }

/* ---- one pass: decoupled look-back --------------------------------------------------------------------------------------------------- */
// A tile's descriptor is one 64-bit word: status above, value below; both arrive together.
namespace lookback {
enum : uint32_t { kInvalid = 0, kAggregate = 1, kPrefix = 2 };

__device__ inline unsigned long long pack(uint32_t status, uint32_t value) {
    return (unsigned long long)status << 32 | value;
}

template <int THREADS>
__global__ __launch_bounds__(THREADS) void inclusive_scan(const uint32_t *in, uint32_t *out, unsigned long long *tiles,
                                                          unsigned *next_tile, int n) {
    __shared__ unsigned s_tile;
    __shared__ uint32_t s_prefix;
    if (threadIdx.x == 0) s_tile = atomicAdd(next_tile, 1);   // tiles in the order in which blocks really start
    __syncthreads();
    const unsigned tile = s_tile;
    const int i = tile * THREADS + threadIdx.x;
    const uint32_t sum = block_inclusive_scan<uint32_t>(i < n ? in[i] : 0u);

    if (threadIdx.x == THREADS - 1) {
        uint32_t prefix = 0;
        if (tile == 0) {
            atomicExch(&tiles[0], pack(kPrefix, sum));
        } else {
            atomicExch(&tiles[tile], pack(kAggregate, sum));
            for (int before = tile - 1; before >= 0;) {
                unsigned long long word = atomicAdd(&tiles[before], 0ull);   // an atomic load
                const uint32_t status = word >> 32;
                if (status == kInvalid) continue;
                prefix += (uint32_t)word;
                if (status == kPrefix) break;
                --before;
            }
            atomicExch(&tiles[tile], pack(kPrefix, prefix + sum));
        }
        s_prefix = prefix;
    }
    __syncthreads();
    if (i < n) out[i] = sum + s_prefix;
}
}  // namespace lookback

extern "C" void scan_lookback(const uint32_t *in, uint32_t *out, int n) {
    constexpr int threads = 64;
    const int tiles = (n + threads - 1) / threads;
    unsigned long long *descriptors;
    unsigned *next;
    CUDA_CHECK(cudaMalloc(&descriptors, tiles * sizeof(*descriptors)));
    CUDA_CHECK(cudaMalloc(&next, sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(descriptors, 0, tiles * sizeof(*descriptors)));
    CUDA_CHECK(cudaMemset(next, 0, sizeof(unsigned)));
    lookback::inclusive_scan<threads><<<tiles, threads>>>(in, out, descriptors, next, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(descriptors)); CUDA_CHECK(cudaFree(next));
}

/* ---- compaction: keep what a predicate likes, in order ----------------------------------------------------------------------------------- */
struct IsOdd { __device__ bool operator()(int x) const { return x & 1; } };

template <class Predicate, int kBlock>
__global__ void compact_in_order(const int *in, int *out, int *count, int n, Predicate keep) {
  __shared__ int warp_base[kBlock / 32];
  __shared__ int running;
  if (threadIdx.x == 0) running = 0;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int start = 0; start < n; start += kBlock) {     // one block walks over everything
    const int i = start + threadIdx.x;
    const int x = i < n ? in[i] : 0;
    const bool kept = i < n && keep(x);
    const unsigned ballot = __ballot_sync(~0u, kept);
    if (lane == 0) warp_base[warp] = __popc(ballot);
    __syncthreads();
    int base = running;
    for (int w = 0; w < warp; ++w) base += warp_base[w];
    if (kept) out[base + __popc(ballot & ((1u << lane) - 1u))] = x;
    __syncthreads();                                     // all have read the counts
    if (threadIdx.x == kBlock - 1) running = base + __popc(ballot);
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = running;
}
extern "C" void compact_ordered(const int *in, int *out, int *count, int n) {
  compact_in_order<IsOdd, 96><<<1, 96>>>(in, out, count, n, IsOdd());
}

/* ---- compaction with one atomic per group of active threads: any order ------------------------------------------------------------------------ */
namespace cg = cooperative_groups;

__device__ int aggregated_increment(int *counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base;
    if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
    return active.shfl(base, 0) + active.thread_rank();
}

__global__ void filter_kernel(int *dst, int *count, const int *src, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (src[i] > 0) dst[aggregated_increment(count)] = src[i];
}
extern "C" void filter_positive(int *dst, int *count, const int *src, int n) {
    cudaMemset(count, 0, sizeof(int));
    filter_kernel<<<3, 64>>>(dst, count, src, n);
}

/* ---- segmented: a flag starts a new sum --------------------------------------------------------------------------------------------------------- */
__global__ void segmented_scan_kernel(const float *values, const unsigned char *heads, float *out, int n)
{
    __shared__ float v[2][128];
    __shared__ unsigned char f[2][128];
    const unsigned t = threadIdx.x;
    int now = 0;
    v[0][t] = t < n ? values[t] : 0.f;
    f[0][t] = t < n ? heads[t] : 1;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2, now ^= 1) {
        const bool reach = t >= d && !f[now][t];
        v[now ^ 1][t] = reach ? v[now][t] + v[now][t - d] : v[now][t];
        f[now ^ 1][t] = reach ? f[now][t - d] : f[now][t];
        __syncthreads();
    }
    if (t < n) out[t] = v[now][t];
}
extern "C" void scan_segmented(const float *values, const unsigned char *heads, float *out, int n)
{
    segmented_scan_kernel<<<1, 128>>>(values, heads, out, n);
}
