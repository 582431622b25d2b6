// Softmax, step 1: a warp has a row, and reads it three times: for the maximum, for the sum, for the results.
// Stands in for kernel.cu of exercise 16.
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

namespace {

constexpr int kWarp = 32;
constexpr unsigned kEveryLane = 0xffffffffu;
template <typename T>
constexpr T kLowest = std::numeric_limits<T>::lowest();

template <typename T>
__device__ T warp_max(T value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        value = max(value, __shfl_xor_sync(kEveryLane, value, distance));
    }
    return value;
}

template <typename T>
__device__ T warp_sum(T value) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kEveryLane, value, distance);
    }
    return value;
}

constexpr unsigned kRows = 8;  // of a block: one for each warp

unsigned blocks_for(int64_t rows) { return static_cast<unsigned>((rows + kRows - 1) / kRows); }

template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows, int64_t columns) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) return;  // a whole warp
    const T* from = x + row * columns;
    T* to = out + row * columns;
    // --8<-- [start:kernel]
    T largest = kLowest<T>;
    for (int64_t i = threadIdx.x; i < columns; i += kWarp) largest = max(largest, from[i]);
    largest = warp_max(largest);

    T sum = 0;
    for (int64_t i = threadIdx.x; i < columns; i += kWarp) sum += exp(from[i] - largest);
    sum = warp_sum(sum);

    for (int64_t i = threadIdx.x; i < columns; i += kWarp) to[i] = exp(from[i] - largest) / sum;
    // --8<-- [end:kernel]
}

// A warp has a row, and goes through y and grad_y twice.
template <typename T>
__global__ void backward_kernel(const T* __restrict__ grad_y, const T* __restrict__ y, T* __restrict__ grad_x,
                                int64_t rows, int64_t columns) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) return;  // a whole warp
    const T* from = y + row * columns;
    const T* grad = grad_y + row * columns;
    T dot = 0;
    for (int64_t i = threadIdx.x; i < columns; i += kWarp) dot += grad[i] * from[i];
    dot = warp_sum(dot);
    for (int64_t i = threadIdx.x; i < columns; i += kWarp) {
        grad_x[row * columns + i] = from[i] * (grad[i] - dot);
    }
}

}  // namespace

template <typename T>
void launch_softmax(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    softmax_kernel<T><<<blocks_for(rows), dim3(kWarp, kRows), 0, stream>>>(x, out, rows, columns);
}

template <typename T>
void launch_softmax_backward(const T* grad_y, const T* y, T* grad_x, int64_t rows, int64_t columns,
                             cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    backward_kernel<T>
        <<<blocks_for(rows), dim3(kWarp, kRows), 0, stream>>>(grad_y, y, grad_x, rows, columns);
}

template void launch_softmax<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_softmax<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
template void launch_softmax_backward<float>(const float*, const float*, float*, int64_t, int64_t,
                                             cudaStream_t);
template void launch_softmax_backward<double>(const double*, const double*, double*, int64_t, int64_t,
                                              cudaStream_t);
