// Four kernels whose results are right. Each of them leaves most lanes, or most of a multiprocessor, idle.
#include "kernels.h"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 256;  // of a block, where nothing else is said

unsigned blocks_for(int64_t threads, int threads_per_block) {
    return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}

__device__ void sine_and_cosine(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__device__ void sine_and_cosine(double x, double* sine, double* cosine) { sincos(x, sine, cosine); }

// ---- the sums of rows that end early -------------------------------------------------------------

// Neighbouring threads that share a row: a power of two, up to 32.
// --8<-- [start:row_threads]
constexpr int kRowThreads = kWarp;
// --8<-- [end:row_threads]

// out[row] is the sum of the first lengths[row] elements of a row of x (rows x width).
template <typename T>
__global__ void row_sums_kernel(const T* __restrict__ x, const int64_t* __restrict__ lengths,
                                T* __restrict__ out, int64_t rows, int64_t width) {
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = thread / kRowThreads;
    if (row >= rows) return;
    // --8<-- [start:row_sums]
    const int64_t lane = thread % kRowThreads, length = lengths[row];
    T sum = 0;
    for (int64_t c = lane; c < length; c += kRowThreads) sum += x[row * width + c];
    for (int distance = kRowThreads / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (lane == 0) out[row] = sum;
    // --8<-- [end:row_sums]
}

// ---- pairs that are rotated ----------------------------------------------------------------------

// Elements of out that a thread computes.
// --8<-- [start:rotate_elements]
constexpr int kRotateElements = 2;
// --8<-- [end:rotate_elements]

// Rotates the point (x[2 p], x[2 p + 1]) by turn * angle[p], for all n / 2 pairs.
template <typename T>
__global__ void rotate_kernel(const T* __restrict__ x, const T* __restrict__ angle, T turn,
                              T* __restrict__ out, int64_t n) {
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t i = thread * kRotateElements;
    if (i >= n) return;
    T sine, cosine;
    sine_and_cosine(turn * angle[i / 2], &sine, &cosine);
    // --8<-- [start:rotate]
    const T left = x[i], right = x[i + 1];
    out[i] = left * cosine - right * sine;
    out[i + 1] = left * sine + right * cosine;
    // --8<-- [end:rotate]
}

// ---- the mean of a window ------------------------------------------------------------------------

constexpr int kSmoothThreads = 128;
constexpr int kRadius = 4;  // elements of the window on either side

// out[i] is the mean of x[i - kRadius] to x[i + kRadius], where x is 0 beyond its ends. The block's part of
// x is in shared memory, with kRadius elements more on either side.
template <typename T>
__global__ void smooth_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t n) {
    extern __shared__ __align__(16) unsigned char memory[];
    T* tile = reinterpret_cast<T*>(memory);
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kSmoothThreads - kRadius;
    for (int t = static_cast<int>(threadIdx.x); t < kSmoothThreads + 2 * kRadius;
         t += kSmoothThreads) {
        const int64_t i = first + t;
        tile[t] = i >= 0 && i < n ? x[i] : T(0);
    }
    __syncthreads();  // the tile is complete: every thread reads what others loaded
    const int64_t i = first + kRadius + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (int k = 0; k <= 2 * kRadius; ++k) sum += tile[threadIdx.x + k];
    out[i] = sum / T(2 * kRadius + 1);
}

// ---- a factor for every element ------------------------------------------------------------------

// --8<-- [start:scale]
constexpr int kScaleThreads = 256;  // of a block
// --8<-- [end:scale]

template <typename T>
__global__ void scale_kernel(const T* __restrict__ x, T factor, T* __restrict__ out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * x[i];
}

}  // namespace

// ---- the launches --------------------------------------------------------------------------------

template <typename T>
void launch_row_sums(const T* x, const int64_t* lengths, T* out, int64_t rows, int64_t width,
                     cudaStream_t stream) {
    if (rows == 0) return;
    const unsigned blocks = blocks_for(rows * kRowThreads, kThreads);
    row_sums_kernel<<<blocks, kThreads, 0, stream>>>(x, lengths, out, rows, width);
}

template <typename T>
void launch_rotate(const T* x, const T* angle, T turn, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const unsigned blocks = blocks_for(n / kRotateElements, kThreads);
    rotate_kernel<<<blocks, kThreads, 0, stream>>>(x, angle, turn, out, n);
}

template <typename T>
void launch_smooth(const T* x, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    // --8<-- [start:smooth]
    constexpr size_t kTileBytes = (kSmoothThreads + 2 * kRadius) * sizeof(T);
    // --8<-- [end:smooth]
    const unsigned blocks = blocks_for(n, kSmoothThreads);
    smooth_kernel<<<blocks, kSmoothThreads, kTileBytes, stream>>>(x, out, n);
}

template <typename T>
void launch_scale(const T* x, T factor, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    scale_kernel<<<blocks_for(n, kScaleThreads), kScaleThreads, 0, stream>>>(x, factor, out, n);
}

#define INSTANTIATE(T)                                                                           \
    template void launch_row_sums<T>(const T*, const int64_t*, T*, int64_t, int64_t,             \
                                     cudaStream_t);                                              \
    template void launch_rotate<T>(const T*, const T*, T, T*, int64_t, cudaStream_t);            \
    template void launch_smooth<T>(const T*, T*, int64_t, cudaStream_t);                         \
    template void launch_scale<T>(const T*, T, T*, int64_t, cudaStream_t)

INSTANTIATE(float);
INSTANTIATE(double);
