// Layer norm, step 2: a block for each row. Lanes read neighbours, but go over the row in memory three
// times, and backward goes over x and grad_out three times, too.
// Stands in for kernel.cu of exercise 17.
#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr unsigned kEveryLane = 0xffffffffu;

template <typename T>
__device__ T warp_sum(T value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kEveryLane, value, distance);
    }
    return value;
}

// The sum over a block, the same in every thread.
template <typename T>
__device__ T block_sum(T value) {
    __shared__ T of_warp[kWarps];
    const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
    value = warp_sum(value);
    __syncthreads();  // every warp has read the sums of the call before
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();  // every warp has written its sum
    return warp_sum(lane < kWarps ? of_warp[lane] : T(0));
}

template <typename T>
__global__ void layer_norm_kernel(const T* __restrict__ x, const T* __restrict__ weight,
                                  const T* __restrict__ bias, T* __restrict__ out,
                                  T* __restrict__ mean, T* __restrict__ rstd, int64_t columns, T eps) {
    // --8<-- [start:kernel]
    const T* own = x + blockIdx.x * columns;
    T sum = 0, squares = 0;
    for (int64_t i = threadIdx.x; i < columns; i += kThreads) sum += own[i];
    const T center = block_sum(sum) / columns;
    for (int64_t i = threadIdx.x; i < columns; i += kThreads) {
        const T distance = own[i] - center;
        squares += distance * distance;
    }
    const T scale = T(1) / sqrt(block_sum(squares) / columns + eps);
    for (int64_t i = threadIdx.x; i < columns; i += kThreads) {
        out[blockIdx.x * columns + i] = (own[i] - center) * scale * weight[i] + bias[i];
    }
    // --8<-- [end:kernel]
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = center;
        rstd[blockIdx.x] = scale;
    }
}

template <typename T>
__global__ void grad_x_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                              const T* __restrict__ weight, const T* __restrict__ mean,
                              const T* __restrict__ rstd, T* __restrict__ grad_x, int64_t columns) {
    const T center = mean[blockIdx.x], scale = rstd[blockIdx.x];
    const int64_t before = blockIdx.x * columns;
    T sum_g = 0, sum_g_normalised = 0;
    for (int64_t i = threadIdx.x; i < columns; i += kThreads) {
        const T g = grad_out[before + i] * weight[i];
        sum_g += g;
        sum_g_normalised += g * (x[before + i] - center) * scale;
    }
    const T mean_g = block_sum(sum_g) / columns;
    const T mean_g_normalised = block_sum(sum_g_normalised) / columns;
    for (int64_t i = threadIdx.x; i < columns; i += kThreads) {
        const T g = grad_out[before + i] * weight[i];
        grad_x[before + i] =
            scale * (g - mean_g - (x[before + i] - center) * scale * mean_g_normalised);
    }
}

// Block (strip, part): the sums over every gridDim.y-th row, for kThreads columns.
template <typename T>
__global__ void parameters_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                                  const T* __restrict__ mean, const T* __restrict__ rstd,
                                  T* __restrict__ weight_parts, T* __restrict__ bias_parts, int64_t rows,
                                  int64_t columns) {
    const int64_t column = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (column >= columns) return;
    T weight_sum = 0, bias_sum = 0;
    for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
        const T g = grad_out[row * columns + column];
        weight_sum += g * (x[row * columns + column] - mean[row]) * rstd[row];
        bias_sum += g;
    }
    if (weight_parts != nullptr) weight_parts[blockIdx.y * columns + column] = weight_sum;
    if (bias_parts != nullptr) bias_parts[blockIdx.y * columns + column] = bias_sum;
}

template <typename T>
__global__ void column_sums_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t rows,
                                   int64_t columns) {
    __shared__ T tile[kWarp][kWarp + 1];
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kWarp;
    T sum = 0;
    if (first_column + lane < columns) {
        for (int64_t row = warp; row < rows; row += kWarp) sum += x[row * columns + first_column + lane];
    }
    tile[warp][lane] = sum;
    __syncthreads();  // the tile is complete
    sum = warp_sum(tile[lane][warp]);
    if (lane == 0 && first_column + warp < columns) sums[first_column + warp] = sum;
}

unsigned strips_for(int64_t columns, int64_t width) {
    return static_cast<unsigned>((columns + width - 1) / width);
}

}  // namespace

template <typename T>
void launch_layer_norm(const T* x, const T* weight, const T* bias, T* out, T* mean, T* rstd, int64_t rows,
                       int64_t columns, double eps, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    layer_norm_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(
        x, weight, bias, out, mean, rstd, columns, static_cast<T>(eps));
}

int64_t parts_for(int64_t rows, int64_t) { return std::clamp<int64_t>(rows / 32, 1, 256); }

template <typename T>
void launch_layer_norm_backward(const T* grad_out, const T* x, const T* weight, const T* mean,
                                const T* rstd, T* grad_x, T* weight_parts, T* bias_parts, int64_t parts,
                                int64_t rows, int64_t columns, cudaStream_t stream) {
    if (columns == 0) return;
    if (grad_x != nullptr && rows > 0) {
        grad_x_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(grad_out, x, weight, mean,
                                                                               rstd, grad_x, columns);
    }
    if (weight_parts == nullptr && bias_parts == nullptr) return;
    const dim3 grid(strips_for(columns, kThreads), static_cast<unsigned>(parts));
    parameters_kernel<T><<<grid, kThreads, 0, stream>>>(grad_out, x, mean, rstd, weight_parts, bias_parts,
                                                        rows, columns);
}

template <typename T>
void launch_column_sums(const T* x, T* sums, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (columns == 0) return;
    column_sums_kernel<T>
        <<<strips_for(columns, kWarp), dim3(kWarp, kWarp), 0, stream>>>(x, sums, rows, columns);
}

#define INSTANTIATE(T)                                                                                \
    template void launch_layer_norm<T>(const T*, const T*, const T*, T*, T*, T*, int64_t, int64_t,    \
                                       double, cudaStream_t);                                         \
    template void launch_layer_norm_backward<T>(const T*, const T*, const T*, const T*, const T*, T*, \
                                                T*, T*, int64_t, int64_t, int64_t, cudaStream_t);     \
    template void launch_column_sums<T>(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
