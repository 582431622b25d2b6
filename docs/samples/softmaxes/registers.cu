// Softmax, step 3: a block has a row, and reads it once into registers, 4 bytes at a time (float).
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

constexpr int kThreads = 256;  // of a block that has a row
constexpr int kHeld = 16;      // elements of it in a thread

// A block has a row. Each thread keeps its elements: row[t], row[t + kThreads]...
template <typename T>
__global__ void __launch_bounds__(kThreads)
    softmax_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t columns) {
    __shared__ T of_warp[2][kThreads / kWarp];
    const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
    const int warps = kThreads / kWarp;
    const T* from = x + blockIdx.x * columns;
    T* to = out + blockIdx.x * columns;
    // --8<-- [start:kernel]
    T held[kHeld], largest = kLowest<T>, sum = 0;
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
        const int column = i * kThreads + threadIdx.x;
        held[i] = column < columns ? from[column] : T(-INFINITY);
        largest = max(largest, held[i]);
    }
    largest = warp_max(largest);
    if (lane == 0) of_warp[0][warp] = largest;
    __syncthreads();  // every warp has written its maximum
    largest = warp_max(of_warp[0][lane % warps]);
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
        held[i] = exp(held[i] - largest);
        sum += held[i];
    }
    sum = warp_sum(sum);
    if (lane == 0) of_warp[1][warp] = sum;
    __syncthreads();  // every warp has written its sum
    sum = warp_sum(lane < warps ? of_warp[1][lane] : T(0));
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
        const int column = i * kThreads + threadIdx.x;
        if (column < columns) to[column] = held[i] / sum;
    }
    // --8<-- [end:kernel]
}

// For rows that do not fit: step 1.
template <typename T>
__global__ void long_kernel(const T* __restrict__ x, T* __restrict__ out, int64_t rows, int64_t columns) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) return;  // a whole warp
    const T* from = x + row * columns;
    T* to = out + row * columns;
    T largest = kLowest<T>;
    for (int64_t i = threadIdx.x; i < columns; i += kWarp) largest = max(largest, from[i]);
    largest = warp_max(largest);

    T sum = 0;
    for (int64_t i = threadIdx.x; i < columns; i += kWarp) sum += exp(from[i] - largest);
    sum = warp_sum(sum);

    for (int64_t i = threadIdx.x; i < columns; i += kWarp) to[i] = exp(from[i] - largest) / sum;
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
    if (columns <= kThreads * kHeld) {
        softmax_kernel<T><<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(x, out, columns);
    } else {
        long_kernel<T><<<blocks_for(rows), dim3(kWarp, kRows), 0, stream>>>(x, out, rows, columns);
    }
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
