// Twelve small operations: their kernels and launches. The binding sends no empty tensor here.
#include "kernels.h"

namespace {

unsigned blocks_for(int64_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

__device__ int64_t global_index() {
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void count_above_kernel(const float* __restrict__ x, int64_t n, float level,
                                   int32_t* __restrict__ count) {
    // TODO(count_above): repair: sometimes counts one too many, about 2 lines.
    const int64_t i = global_index();
    if (i > n) return;
    atomicAdd(count, x[i] > level ? 1 : 0);
}

// TODO(polynomial): repair: an illegal memory access, reported by a later call, about 14 lines.
__global__ void polynomial_kernel(const float* __restrict__ x, int64_t n,
                                  const Coefficients* coefficients,
                                  float* __restrict__ out) {
    const int64_t i = global_index();
    if (i >= n) return;
    const Coefficients& of = *coefficients;
    float sum = 0;
    for (int k = of.count - 1; k >= 0; --k) sum = sum * x[i] + of.value[k];
    out[i] = sum;
}

void evaluate(const float* x, int64_t n, const Coefficients& coefficients, float* out,
              cudaStream_t stream) {
    polynomial_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, &coefficients, out);
}

// TODO(clip): repair: the process dies, and Python shows no error, about 11 lines.
__global__ void clip_kernel(const float* __restrict__ x, int64_t n,
                            const float limit,
                            float* __restrict__ out) {
    const int64_t i = global_index();
    if (i >= n) return;
    const float most = limit;
    out[i] = x[i] > most ? most : x[i];
}

void clip(const float* x, int64_t n, const float* limit, float* out, cudaStream_t stream) {
    clip_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, *limit, out);
}

// A thread for each row.
__global__ void row_sums_kernel(const float* __restrict__ x, int64_t rows, int64_t columns,
                                int64_t row_stride, int64_t column_stride,
                                float* __restrict__ out) {
    const int64_t row = global_index();
    if (row >= rows) return;
    float sum = 0;
    for (int64_t column = 0; column < columns; ++column) {
        sum += x[row * row_stride + column * column_stride];
    }
    out[row] = sum;
}

__global__ void negative_kernel(const uint8_t* __restrict__ x, int64_t n, int64_t columns,
                                int64_t row_stride, int64_t column_stride,
                                uint8_t* __restrict__ out) {
    const int64_t i = global_index();
    if (i >= n) return;
    const int64_t row = i / columns, column = i % columns;
    // TODO(negative): repair: a crop of a very large image fails, about 1 line.
    const int offset = row * row_stride + column * column_stride;
    out[i] = 255 - x[offset];
}

__global__ void block_sums_kernel(const float* __restrict__ x, int64_t n, float* __restrict__ out) {
    __shared__ float part[kThreads];
    const int64_t i = global_index();
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    for (unsigned step = kThreads / 2; step > 0; step /= 2) {
        // TODO(block_sums): repair: right on my GPU, wrong on another, about 1 line.
        __syncwarp();  // the lanes have written the words that this level reads
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void block_maxima_kernel(const float* __restrict__ x, int64_t n,
                                    float* __restrict__ out) {
    __shared__ float part[kThreads];
    const int64_t i = global_index();
    // TODO(block_maxima): repair: a maximum that is not in x, and only for some sizes, about 1 line.
    if (i >= n) return;
    part[threadIdx.x] = x[i];
    for (unsigned step = kThreads / 2; step > 0; step /= 2) {
        __syncthreads();  // as in block_sums_kernel
        if (threadIdx.x < step) {
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// Each block counts in shared memory, where atomics are cheap, and then adds its counts to all.
__global__ void byte_counts_kernel(const uint8_t* __restrict__ x, int64_t n,
                                 int32_t* __restrict__ counts) {
    __shared__ int32_t bins[256];
    static_assert(kThreads == 256, "a thread for each bin");
    const int64_t i = global_index();
    // TODO(byte_counts): repair: right once after a restart, then too large, about 2 lines.
    __syncthreads();  // the block is complete
    if (i < n) atomicAdd(&bins[x[i]], 1);
    __syncthreads();  // all threads have counted
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

// A block for each row; its threads go along the row.
__global__ void scale_rows_kernel(const float* __restrict__ x, const float* __restrict__ factors,
                                  int64_t columns, float* __restrict__ out) {
    const int64_t row = blockIdx.x;
    for (int64_t column = threadIdx.x; column < columns; column += blockDim.x) {
        out[row * columns + column] = factors[row] * x[row * columns + column];
    }
}

// The bits of floats that are not negative have the order of the floats.
__global__ void peak_kernel(const float* __restrict__ x, int64_t n, int32_t* __restrict__ bits) {
    const int64_t i = global_index();
    if (i >= n) return;
    atomicMax(bits, __float_as_int(fabsf(x[i])));
}

__global__ void divide_kernel(const float* __restrict__ x, int64_t n,
                              const int32_t* __restrict__ bits, float* __restrict__ out) {
    const int64_t i = global_index();
    if (i >= n) return;
    out[i] = x[i] / __int_as_float(*bits);
}

// The mean of each element and its neighbours. The first and the last one count as their own
// neighbours.
__global__ void smooth_kernel(const float* from, int64_t n, float* to) {
    const int64_t i = global_index();
    if (i >= n) return;
    const int64_t left = i > 0 ? i - 1 : i, right = i + 1 < n ? i + 1 : i;
    to[i] = (from[left] + from[i] + from[right]) / 3;
}

template <typename T>
__global__ void silu_kernel(const T* __restrict__ x, int64_t n, T* __restrict__ gate,
                            T* __restrict__ out) {
    const int64_t i = global_index();
    if (i >= n) return;
    gate[i] = T(1) / (T(1) + exp(-x[i]));
    out[i] = x[i] * gate[i];
}

template <typename T>
__global__ void silu_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                                     const T* __restrict__ gate, int64_t n,
                                     T* __restrict__ grad_x) {
    const int64_t i = global_index();
    if (i >= n) return;
    grad_x[i] = grad_out[i] * gate[i] * (T(1) + x[i] * (T(1) - gate[i]));
}

}  // namespace

void launch_count_above(const float* x, int64_t n, float level, int32_t* count,
                        cudaStream_t stream) {
    count_above_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, level, count);
}

void launch_polynomial(const float* x, int64_t n, const Coefficients& coefficients, float* out,
                       cudaStream_t stream) {
    evaluate(x, n, coefficients, out, stream);
}

void launch_clip(const float* x, int64_t n, const float* limit, float* out, cudaStream_t stream) {
    clip(x, n, limit, out, stream);
}

void launch_row_sums(const float* x, int64_t rows, int64_t columns, int64_t row_stride,
                     int64_t column_stride, float* out, cudaStream_t stream) {
    row_sums_kernel<<<blocks_for(rows), kThreads, 0, stream>>>(x, rows, columns, row_stride,
                                                               column_stride, out);
}

void launch_negative(const uint8_t* x, int64_t rows, int64_t columns, int64_t row_stride,
                     int64_t column_stride, uint8_t* out, cudaStream_t stream) {
    const int64_t n = rows * columns;
    negative_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, columns, row_stride,
                                                            column_stride, out);
}

void launch_block_sums(const float* x, int64_t n, float* out, cudaStream_t stream) {
    block_sums_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, out);
}

void launch_block_maxima(const float* x, int64_t n, float* out, cudaStream_t stream) {
    block_maxima_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, out);
}

void launch_byte_counts(const uint8_t* x, int64_t n, int32_t* counts, cudaStream_t stream) {
    byte_counts_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, counts);
}

void launch_scale_rows(const float* x, const float* factors, int64_t rows, int64_t columns,
                       float* out, cudaStream_t stream) {
    // TODO(row_launch): repair: rows of more than 1024 columns hold numbers of some other tensor, about
    //   1 line.
    const int64_t threads = columns;
    scale_rows_kernel<<<static_cast<unsigned>(rows), static_cast<unsigned>(threads), 0, stream>>>(
        x, factors, columns, out);
}

void launch_normalise(const float* x, int64_t n, int32_t* peak_bits, float* out,
                      cudaStream_t stream) {
    // TODO(normalise): repair: wrong in the data loader's thread only, about 2 lines.
    peak_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, peak_bits);
    divide_kernel<<<blocks_for(n), kThreads>>>(x, n, peak_bits, out);
}

void launch_smooth(const float* x, int64_t n, float* scratch, float* out, cudaStream_t stream) {
    // TODO(smooth): repair: differs from run to run, near every 256th element, about 2 lines.
    smooth_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, out);
    smooth_kernel<<<blocks_for(n), kThreads, 0, stream>>>(out, n, out);
}

template <typename T>
void launch_silu(const T* x, int64_t n, T* gate, T* out, cudaStream_t stream) {
    silu_kernel<<<blocks_for(n), kThreads, 0, stream>>>(x, n, gate, out);
}

template <typename T>
void launch_silu_backward(const T* grad_out, const T* x, const T* gate, int64_t n, T* grad_x,
                          cudaStream_t stream) {
    silu_backward_kernel<<<blocks_for(n), kThreads, 0, stream>>>(grad_out, x, gate, n, grad_x);
}

#define INSTANTIATE(T)                                                                        \
    template void launch_silu<T>(const T*, int64_t, T*, T*, cudaStream_t);                    \
    template void launch_silu_backward<T>(const T*, const T*, const T*, int64_t, T*,          \
                                          cudaStream_t);

INSTANTIATE(float)
INSTANTIATE(double)
