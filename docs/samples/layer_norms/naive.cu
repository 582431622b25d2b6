// Layer norm, step 1: a thread for each row, and for the gradients of weight and bias one for each column.
// Stands in for kernel.cu of exercise 17.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int64_t kThreads = 256;

__device__ int64_t thread_number() {
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <typename T>
__global__ void layer_norm_kernel(const T* __restrict__ x, const T* __restrict__ weight,
                                  const T* __restrict__ bias, T* __restrict__ out,
                                  T* __restrict__ mean, T* __restrict__ rstd, int64_t rows,
                                  int64_t columns, T eps) {
    const int64_t row = thread_number();
    if (row >= rows) return;
    // --8<-- [start:kernel]
    T sum = 0, squares = 0;
    for (int64_t i = 0; i < columns; ++i) sum += x[row * columns + i];
    const T center = sum / columns;
    for (int64_t i = 0; i < columns; ++i) {
        const T distance = x[row * columns + i] - center;
        squares += distance * distance;
    }
    const T scale = T(1) / sqrt(squares / columns + eps);
    for (int64_t i = 0; i < columns; ++i) {
        out[row * columns + i] = (x[row * columns + i] - center) * scale * weight[i] + bias[i];
    }
    // --8<-- [end:kernel]
    mean[row] = center;
    rstd[row] = scale;
}

template <typename T>
__global__ void grad_x_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                              const T* __restrict__ weight, const T* __restrict__ mean,
                              const T* __restrict__ rstd, T* __restrict__ grad_x, int64_t rows,
                              int64_t columns) {
    const int64_t row = thread_number();
    if (row >= rows) return;
    const T center = mean[row], scale = rstd[row];
    T sum_g = 0, sum_g_normalised = 0;
    for (int64_t i = 0; i < columns; ++i) {
        const T g = grad_out[row * columns + i] * weight[i];
        sum_g += g;
        sum_g_normalised += g * (x[row * columns + i] - center) * scale;
    }
    for (int64_t i = 0; i < columns; ++i) {
        const T g = grad_out[row * columns + i] * weight[i];
        const T normalised = (x[row * columns + i] - center) * scale;
        grad_x[row * columns + i] =
            scale * (g - sum_g / columns - normalised * (sum_g_normalised / columns));
    }
}

template <typename T>
__global__ void parameters_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                                  const T* __restrict__ mean, const T* __restrict__ rstd,
                                  T* __restrict__ of_weight, T* __restrict__ of_bias, int64_t rows,
                                  int64_t columns) {
    const int64_t column = thread_number();
    if (column >= columns) return;
    T weight_sum = 0, bias_sum = 0;
    for (int64_t row = 0; row < rows; ++row) {
        const T g = grad_out[row * columns + column];
        weight_sum += g * (x[row * columns + column] - mean[row]) * rstd[row];
        bias_sum += g;
    }
    if (of_weight != nullptr) of_weight[column] = weight_sum;
    if (of_bias != nullptr) of_bias[column] = bias_sum;
}

template <typename T>
__global__ void copy_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t columns) {
    const int64_t column = thread_number();
    if (column < columns) sums[column] = x[column];
}

unsigned blocks_for(int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

}  // namespace

template <typename T>
void launch_layer_norm(const T* x, const T* weight, const T* bias, T* out, T* mean, T* rstd, int64_t rows,
                       int64_t columns, double eps, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    layer_norm_kernel<T><<<blocks_for(rows), kThreads, 0, stream>>>(x, weight, bias, out, mean, rstd, rows,
                                                                    columns, static_cast<T>(eps));
}

int64_t parts_for(int64_t, int64_t) { return 1; }

template <typename T>
void launch_layer_norm_backward(const T* grad_out, const T* x, const T* weight, const T* mean,
                                const T* rstd, T* grad_x, T* weight_parts, T* bias_parts, int64_t,
                                int64_t rows, int64_t columns, cudaStream_t stream) {
    if (columns == 0) return;
    if (grad_x != nullptr && rows > 0) {
        grad_x_kernel<T><<<blocks_for(rows), kThreads, 0, stream>>>(grad_out, x, weight, mean, rstd, grad_x,
                                                                    rows, columns);
    }
    if (weight_parts == nullptr && bias_parts == nullptr) return;
    parameters_kernel<T><<<blocks_for(columns), kThreads, 0, stream>>>(
        grad_out, x, mean, rstd, weight_parts, bias_parts, rows, columns);
}

// One part is the whole sum.
template <typename T>
void launch_column_sums(const T* x, T* sums, int64_t, int64_t columns, cudaStream_t stream) {
    if (columns == 0) return;
    copy_kernel<T><<<blocks_for(columns), kThreads, 0, stream>>>(x, sums, columns);
}

#define INSTANTIATE(T)                                                                                \
    template void launch_layer_norm<T>(const T*, const T*, const T*, T*, T*, T*, int64_t, int64_t,    \
                                       double, cudaStream_t);                                         \
    template void launch_layer_norm_backward<T>(const T*, const T*, const T*, const T*, const T*, T*, \
                                                T*, T*, int64_t, int64_t, int64_t, cudaStream_t);     \
    template void launch_column_sums<T>(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
