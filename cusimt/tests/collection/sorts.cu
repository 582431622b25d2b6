// Putting things in order.
#include <limits.h>
#include <stdint.h>
#include "checks.h"

typedef unsigned int uint;

/* ---- bitonic: in shared memory, keys with values ------------------------------------------------------------------------- */
#define SHARED_SIZE_LIMIT 128U

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    uint t;
    if ((keyA > keyB) == dir)
    {
        t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}

__global__ void bitonicSortShared(uint *d_DstKey, uint *d_DstVal, uint *d_SrcKey, uint *d_SrcVal, uint arrayLength, uint dir)
{
    // one block per array
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    __shared__ uint s_val[SHARED_SIZE_LIMIT];

    d_SrcKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_SrcVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_DstKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_DstVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x + 0] = d_SrcKey[0];
    s_val[threadIdx.x + 0] = d_SrcVal[0];
    s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_SrcKey[(SHARED_SIZE_LIMIT / 2)];
    s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)] = d_SrcVal[(SHARED_SIZE_LIMIT / 2)];

    for (uint size = 2; size < arrayLength; size <<= 1)
    {
        uint ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1)
        {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    for (uint stride = arrayLength / 2; stride > 0; stride >>= 1)
    {
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], dir);
    }

    __syncthreads();
    d_DstKey[0] = s_key[threadIdx.x + 0];
    d_DstVal[0] = s_val[threadIdx.x + 0];
    d_DstKey[(SHARED_SIZE_LIMIT / 2)] = s_key[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
    d_DstVal[(SHARED_SIZE_LIMIT / 2)] = s_val[threadIdx.x + (SHARED_SIZE_LIMIT / 2)];
}
extern "C" void sort_bitonic_shared(uint *dst_key, uint *dst_val, uint *src_key, uint *src_val, int batch, int ascending)
{
    uint blockCount = batch, threadCount = SHARED_SIZE_LIMIT / 2;
    bitonicSortShared<<<blockCount, threadCount>>>(dst_key, dst_val, src_key, src_val, SHARED_SIZE_LIMIT, ascending != 0);
}

/* ---- bitonic in global memory: one launch per step, any length (filled up with infinity by the host) ------------------------------- */
__global__ void bitonic_sort_step(float *dev_values, int j, int k)
{
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i^j;
  if ((ixj)>i) {
    if ((i&k)==0) {
      if (dev_values[i]>dev_values[ixj]) { float temp = dev_values[i]; dev_values[i] = dev_values[ixj]; dev_values[ixj] = temp; }
    }
    if ((i&k)!=0) {
      if (dev_values[i]<dev_values[ixj]) { float temp = dev_values[i]; dev_values[i] = dev_values[ixj]; dev_values[ixj] = temp; }
    }
  }
}
extern "C" void sort_bitonic_global(float *values, int n)
{
  int padded = 32;
  while (padded < n) padded *= 2;
  float *dev_values, *fill = (float *)malloc(padded * sizeof(float));
  for (int i = 0; i < padded; ++i) fill[i] = __builtin_inff();
  CUDA_CHECK( cudaMalloc((void**) &dev_values, padded * sizeof(float)) );
  CUDA_CHECK( cudaMemcpy(dev_values, fill, padded * sizeof(float), cudaMemcpyHostToDevice) );
  CUDA_CHECK( cudaMemcpy(dev_values, values, n * sizeof(float), cudaMemcpyDeviceToDevice) );
  dim3 blocks(padded / 32,1);
  dim3 threads(32,1);
  for (int k = 2; k <= padded; k <<= 1) {
    for (int j=k>>1; j>0; j=j>>1) {
      bitonic_sort_step<<<blocks, threads>>>(dev_values, j, k);
    }
  }
  CUDA_CHECK( cudaMemcpy(values, dev_values, n * sizeof(float), cudaMemcpyDeviceToDevice) );
  cudaFree(dev_values);
  free(fill);
}

/* ---- odd-even transposition, one block, ends early when nothing moves ------------------------------------------------------------------ */
__global__ void odd_even(short *a, int n, int *rounds)
{
    int phase = 0, quiet = 0;
    for (; phase < n + 1 && quiet < 2; ++phase) {
        int moved = 0;
        for (int i = 2 * threadIdx.x + (phase & 1); i + 1 < n; i += 2 * blockDim.x)
            if (a[i] > a[i + 1]) {
                short t = a[i];
                a[i] = a[i + 1];
                a[i + 1] = t;
                moved = 1;
            }
        quiet = __syncthreads_or(moved) ? 0 : quiet + 1;
    }
    if (threadIdx.x == 0) *rounds = phase;
}
extern "C" void sort_odd_even(short *a, int n, int *rounds) { odd_even<<<1, 64>>>(a, n, rounds); }

/* ---- radix: four bits at a time: count, scan, scatter --------------------------------------------------------------------------------- */
namespace radix {
constexpr int kBits = 4, kDigits = 1 << kBits, kThreads = 64;

__global__ void count(const uint32_t* keys, int n, int shift, int* counts) {   // counts[digit][block]
  __shared__ int local[kDigits];
  if (threadIdx.x < kDigits) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) atomicAdd(&local[keys[i] >> shift & (kDigits - 1)], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}
__global__ void scan(int* counts, int n) {   // exclusive, by a single warp
  int carry = 0;
  for (int start = 0; start < n; start += 32) {
    const int i = start + threadIdx.x, mine = i < n ? counts[i] : 0;
    int sum = mine;
    for (int d = 1; d < 32; d *= 2) {
      const int left = __shfl_up_sync(0xffffffffu, sum, d);
      if (threadIdx.x >= d) sum += left;
    }
    if (i < n) counts[i] = carry + sum - mine;
    carry += __shfl_sync(0xffffffffu, sum, 31);
  }
}
__global__ void scatter(const uint32_t* keys, uint32_t* out, int n, int shift, const int* offsets) {
  __shared__ uint32_t digits[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const uint32_t key = i < n ? keys[i] : ~0u, digit = i < n ? key >> shift & (kDigits - 1) : kDigits;
  digits[threadIdx.x] = digit;
  __syncthreads();
  int rank = 0;   // equal digits keep their order
  for (int t = 0; t < threadIdx.x; ++t) rank += digits[t] == digit;
  if (i < n) out[offsets[digit * gridDim.x + blockIdx.x] + rank] = key;
}
}  // namespace radix

extern "C" void sort_radix(uint32_t* keys, uint32_t* scratch, int n) {
  using namespace radix;
  const int blocks = (n + kThreads - 1) / kThreads;
  int* counts;
  CUDA_CHECK(cudaMalloc(&counts, blocks * kDigits * sizeof(int)));
  for (int shift = 0; shift < 32; shift += kBits) {
    count<<<blocks, kThreads>>>(keys, n, shift, counts);
    radix::scan<<<1, warpSize>>>(counts, blocks * kDigits);
    scatter<<<blocks, kThreads>>>(keys, scratch, n, shift, counts);
    uint32_t* t = keys; keys = scratch; scratch = t;
  }
  CHECK_LAUNCH();
  CUDA_CHECK(cudaFree(counts));   // an even number of passes: the result is where the input was
}

/* ---- merging two sorted arrays: every thread finds its own stretch of the merge path ------------------------------------------------------ */
template <class T, class Less>
__device__ int merge_path(const T* a, int na, const T* b, int nb, int diagonal, Less less) {
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (!less(b[diagonal - 1 - middle], a[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

template <int kItems, class T>
__global__ void merge_kernel(const T* a, int na, const T* b, int nb, T* out) {
  const auto less = [](const T& x, const T& y) { return x < y; };
  const int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * kItems;
  if (diagonal >= na + nb) return;
  int i = merge_path(a, na, b, nb, diagonal, less), j = diagonal - i;
  for (int k = 0; k < kItems && diagonal + k < na + nb; ++k) {
    const bool from_a = j >= nb || (i < na && !less(b[j], a[i]));
    out[diagonal + k] = from_a ? a[i++] : b[j++];
  }
}
extern "C" void merge_sorted(const double* a, int na, const double* b, int nb, double* out) {
  merge_kernel<7><<<ceil_div(na + nb, 7 * 32), 32>>>(a, na, b, nb, out);
}

/* ---- the k largest of each row, by a warp that keeps them in registers ----------------------------------------------------------------------- */
__global__ void top_k_kernel(const float* x, float* values, int* indices, int cols, int k) {
  const float* row = x + blockIdx.x * cols;
  float last = __int_as_float(0x7f800000);   // infinity
  int last_index = -1;
  for (int r = 0; r < k; ++r) {
    unsigned long long best = 0;   // order-preserving bits of the value above, complement of the index below
    for (int c = threadIdx.x; c < cols; c += 32) {
      if (row[c] > last || (row[c] == last && c <= last_index)) continue;
      uint32_t bits = __float_as_uint(row[c]);
      bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
      const unsigned long long candidate = (unsigned long long)bits << 32 | (0xffffffffu - c);
      best = candidate > best ? candidate : best;
    }
    for (int step = 16; step; step >>= 1) {
      const unsigned long long other = __shfl_xor_sync(0xffffffffu, best, step);
      if (other > best) best = other;
    }
    last_index = 0xffffffffu - (uint32_t)best;
    last = row[last_index];
    if (threadIdx.x == 0) { values[blockIdx.x * k + r] = last; indices[blockIdx.x * k + r] = last_index; }
  }
}
extern "C" void top_k(const float* x, float* values, int* indices, int rows, int cols, int k) {
  top_k_kernel<<<rows, 32>>>(x, values, indices, cols, k);
}
