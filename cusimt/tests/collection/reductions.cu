// Many values become one (or a few).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cfloat>
#include "checks.h"
#include "block_reduce.cuh"

namespace cg = cooperative_groups;

/* ---- the sample that everybody has read: a wrapper for dynamic shared memory of any type ---------------------------- */
template <class T>
struct SharedMemory
{
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }

    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};

// extern arrays of one name may have one type: double gets a name of its own
template <>
struct SharedMemory<double>
{
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

template <class T>
__global__ void reduce_sequential(T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();

    // first add during load
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n)
        mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1)
    {
        if (tid < s)
            sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

// launched again and again until one value is left
template <class T>
static void reduce_in_passes(T *data, T *scratch, int n)
{
    const int threads = 64;
    T *in = data, *out = scratch;
    while (n > 1) {
        int blocks = ceil_div(n, 2 * threads);
        dim3 dimGrid(blocks, 1, 1), dimBlock(threads, 1, 1);
        size_t smemSize = (threads <= 32) ? 2 * threads * sizeof(T) : threads * sizeof(T);
        reduce_sequential<T><<< dimGrid, dimBlock, smemSize >>>(in, out, n);
        T *t = in; in = out; out = t;
        n = blocks;
    }
    if (in != scratch) CUDA_CHECK(cudaMemcpy(scratch, in, sizeof(T), cudaMemcpyDeviceToDevice));
}
extern "C" void sum_int(int *data, int *scratch, int n) { reduce_in_passes<int>(data, scratch, n); }
extern "C" void sum_double(double *data, double *scratch, int n) { reduce_in_passes(data, scratch, n); }

/* ---- unrolled by template, the last warp with __syncwarp instead of volatile ------------------------------------------ */
template <unsigned int blockSize>
__device__ __forceinline__ void warp_tail(float *sdata, unsigned int tid)
{
    float x = sdata[tid];
    if (blockSize >= 64) { x += sdata[tid + 32]; __syncwarp(); sdata[tid] = x; __syncwarp(); }
    if (blockSize >= 32) { x += sdata[tid + 16]; __syncwarp(); sdata[tid] = x; __syncwarp(); }
    x += sdata[tid + 8]; __syncwarp(); sdata[tid] = x; __syncwarp();
    x += sdata[tid + 4]; __syncwarp(); sdata[tid] = x; __syncwarp();
    x += sdata[tid + 2]; __syncwarp(); sdata[tid] = x; __syncwarp();
    x += sdata[tid + 1]; __syncwarp(); sdata[tid] = x;
}

template <unsigned int blockSize, bool nIsPow2>
__global__ void reduce_unrolled(const float *__restrict__ in, float *out, unsigned int n)
{
    __shared__ float sdata[blockSize + 32];   // the tail reads up to 16 elements past the sums it needs
    unsigned int tid = threadIdx.x, gridSize = blockSize * 2 * gridDim.x;
    float sum = 0;
    for (unsigned int i = blockIdx.x * blockSize * 2 + tid; i < n; i += gridSize) {
        sum += in[i];
        if (nIsPow2 || i + blockSize < n) sum += in[i + blockSize];
    }
    sdata[tid] = sum;
    if (tid < 32) sdata[blockSize + tid] = 0;
    __syncthreads();
    if (blockSize >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) sdata[tid] += sdata[tid + 64]; __syncthreads(); }
    if (tid < 32) warp_tail<blockSize>(sdata, tid);
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

extern "C" void sum_unrolled(const float *in, float *out, int n, int threads)
{
    const bool pow2 = n > 0 && (n & (n - 1)) == 0 && n >= 2 * 3 * threads * 2;
    switch (threads) {
    case 256: reduce_unrolled<256, false><<<3, 256>>>(in, out, n); break;
    case 128: pow2 ? reduce_unrolled<128, false><<<3, 128>>>(in, out, n) : reduce_unrolled<128, false><<<3, 128, 0>>>(in, out, n); break;
    case  64: reduce_unrolled< 64, false><<<3,  64>>>(in, out, n); break;
    }
}

/* ---- last block done ------------------------------------------------------------------------------------------------------ */
__device__ unsigned int blocks_done = 0;

__global__ void sum_last_block(const float* in, volatile float* partial, float* out, int n) {
  __shared__ bool is_last;
  float value = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  value = blockwise::block_reduce(value, blockwise::Sum{}, 0.f);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();   // the partial sum is visible before the count
    unsigned int ticket = atomicInc(&blocks_done, gridDim.x);
    is_last = (ticket == gridDim.x - 1);
  }
  __syncthreads();
  if (!is_last) return;
  value = 0.f;
  for (int i = threadIdx.x; i < (int)gridDim.x; i += blockDim.x) value += partial[i];
  value = blockwise::block_reduce(value, blockwise::Sum(), 0.f);
  if (threadIdx.x == 0) {
    *out = value;
    blocks_done = 0;   // for the next launch
  }
}
extern "C" void sum_single_pass(const float* in, float* partial, float* out, int n) {
  for (int repeat = 0; repeat < 2; ++repeat) sum_last_block<<<7, 96>>>(in, partial, out, n);
}

/* ---- cooperative groups: whole grid, one launch ------------------------------------------------------------------------------ */
__global__ void sum_cooperative(const int* in, int* partial, int* out, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ int warps[];
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);

    int sum = 0;
    for (auto i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
    sum = cg::reduce(tile, sum, cg::plus<int>());
    if (tile.thread_rank() == 0) warps[tile.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        sum = 0;
        for (int w = 0; w < tile.meta_group_size(); ++w) sum += warps[w];
        partial[blockIdx.x] = sum;
    }
    cg::sync(grid);
    if (grid.thread_rank() == 0) {
        for (int b = 1; b < gridDim.x; b++) sum += partial[b];
        *out = sum;
    }
}
extern "C" void sum_grid(const int* in, int* partial, int* out, int n) {
    int threads = 64, blocks = 5;
    void* kernelArgs[] = {(void*)&in, (void*)&partial, (void*)&out, (void*)&n};
    CUDA_CHECK(cudaLaunchCooperativeKernel((void*)sum_cooperative, blocks, threads, kernelArgs, threads / 32 * sizeof(int), NULL));
}

/* ---- argmax: two values travel together ---------------------------------------------------------------------------------------- */
struct __align__(8) Pair { float value; int index; };

__device__ __forceinline__ bool better(const Pair& a, const Pair& b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

__global__ void argmax_rows(const float* in, int* out, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;   // a warp per row; rows fill the grid exactly
    Pair best = {-FLT_MAX, INT_MAX};
    for (int c = threadIdx.x; c < cols; c += warpSize) {
        Pair mine{in[row * cols + c], c};
        if (better(mine, best)) best = mine;
    }
    for (int delta = warpSize / 2; delta; delta /= 2) {
        Pair other;
        other.value = __shfl_down_sync(0xFFFFFFFF, best.value, delta);
        other.index = __shfl_down_sync(0xFFFFFFFF, best.index, delta);
        if (better(other, best)) best = other;
    }
    if (!threadIdx.x) out[row] = best.index;
}
extern "C" void argmax(const float* in, int* out, int rows, int cols) {
    argmax_rows<<<rows / 2, dim3(32, 2)>>>(in, out, cols);
}

/* ---- mean and variance in one pass, merged pairwise ------------------------------------------------------------------------------ */
template <typename acc_t>
struct Welford {
    acc_t mean = 0, m2 = 0;
    int n = 0;
    __device__ void add(acc_t x) {
        n++;
        const acc_t delta = x - mean;
        mean += delta / n;
        m2 += delta * (x - mean);
    }
    __device__ void merge(const Welford& other) {
        if (other.n == 0) return;
        const acc_t delta = other.mean - mean;
        const int total = n + other.n;
        mean += delta * other.n / total;
        m2 += other.m2 + delta * delta * n * other.n / total;
        n = total;
    }
};

template <typename scalar_t, typename acc_t = double>
__global__ void variance_kernel(const scalar_t* in, acc_t* mean, acc_t* variance, int cols) {
    __shared__ Welford<acc_t>* warps;           // a pointer that the block shares ...
    __shared__ char storage[sizeof(Welford<acc_t>) * 32];   // ... to storage without constructors
    if (threadIdx.x == 0) warps = reinterpret_cast<Welford<acc_t>*>(storage);
    Welford<acc_t> mine;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) mine.add(in[blockIdx.x * cols + c]);
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
        Welford<acc_t> other;
        other.mean = __shfl_xor_sync(~0u, mine.mean, step);
        other.m2 = __shfl_xor_sync(~0u, mine.m2, step);
        other.n = __shfl_xor_sync(~0u, mine.n, step);
        mine.merge(other);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; ++w) mine.merge(warps[w]);
        mean[blockIdx.x] = mine.mean;
        variance[blockIdx.x] = mine.m2 / mine.n;
    }
}
extern "C" void variance(const float* in, double* mean, double* var, int rows, int cols) {
    variance_kernel<float><<<rows, 128>>>(in, mean, var, cols);
}

/* ---- atomics: float maximum by compare-and-swap, and one atomic per warp ------------------------------------------------------------ */
__device__ static float atomicMaxFloat(float *address, float value)
{
    int *address_as_int = (int *)address;
    int old = *address_as_int, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__global__ void extremes_kernel(const float *x, int n, float *maximum, float *sum, unsigned *positives)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float v = i < n ? x[i] : -FLT_MAX;
    float total = i < n ? v : 0.0f;
    unsigned votes = __ballot_sync(0xffffffff, v > 0.0f);
    v = blockwise::warp_reduce(v, blockwise::Max());
    total = blockwise::warp_reduce(total, blockwise::Sum());
    if (threadIdx.x % 32 == 0) {
        atomicMaxFloat(maximum, v);
        atomicAdd(sum, total);
        atomicAdd(positives, __popc(votes));
    }
}
extern "C" void extremes(const float *x, float *maximum, float *sum, unsigned *positives, int n)
{
    float lowest = -FLT_MAX;
    cudaMemcpy(maximum, &lowest, sizeof lowest, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof *sum), cudaMemset(positives, 0, sizeof *positives);
    extremes_kernel<<<(n+63)/64,64>>>(x,n,maximum,sum,positives);
}

/* ---- through the header-only wrapper -------------------------------------------------------------------------------------------------- */
extern "C" void row_sums_and_maxima(const double* in, double* sums, double* maxima, int rows, int cols) {
    cudaStream_t s;
    CUDA_CHECK(cudaStreamCreate(&s));
    blockwise::reduce_rows(in, sums, rows, cols, blockwise::Sum(), 0.0, s);
    blockwise::reduce_rows<double>(in, maxima, rows, cols, blockwise::Max(), -DBL_MAX);
    CUDA_CHECK(cudaStreamSynchronize(s));
    CUDA_CHECK(cudaStreamDestroy(s));
}
