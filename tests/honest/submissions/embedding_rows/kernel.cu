#include <cuda/std/limits>
#include <cuda_runtime.h>
#include <stdint.h>

#include <algorithm>
#include <limits>

#define PER_TYPE(F)  \
    F(float, int32_t)  \
    F(float, int64_t)  \
    F(double, int32_t) \
    F(double, int64_t)

template <typename Index>
static __device__ __forceinline__ bool valid(Index row, int64_t rows) {
    return 0 <= row && static_cast<int64_t>(row) < rows;
}

template <typename T, typename Index>
static __global__ void gather(const T* __restrict__ weight, const Index* __restrict__ indices, T* __restrict__ out,
                              unsigned long long* outside, int64_t positions, int64_t rows, int64_t columns) {
    for (int64_t p = blockIdx.x * int64_t{blockDim.y} + threadIdx.y; p < positions; p += int64_t{gridDim.x} * blockDim.y) {
        const Index row = indices[p];
        const bool ok = valid(row, rows);
        if (!ok && outside && threadIdx.x == 0) atomicAdd(outside, 1ull);
        for (int64_t c = threadIdx.x; c < columns; c += blockDim.x) {
            out[p * columns + c] = ok ? weight[row * columns + c] : cuda::std::numeric_limits<T>::quiet_NaN();
        }
    }
}

template <typename T, typename Index>
static __global__ void scatter(const T* __restrict__ grad, const Index* __restrict__ indices, T* grad_weight, int64_t positions,
                               int64_t rows, int64_t columns) {
    for (int64_t p = blockIdx.x * int64_t{blockDim.y} + threadIdx.y; p < positions; p += int64_t{gridDim.x} * blockDim.y) {
        const Index row = indices[p];
        if (!valid(row, rows)) continue;
        for (int64_t c = threadIdx.x; c < columns; c += blockDim.x) {
            (void)atomicAdd(grad_weight + row * columns + c, grad[p * columns + c]);
        }
    }
}

template <typename T, typename Index>
static __global__ void segments(const T* grad, const Index* sorted, const int64_t* order, T* grad_weight, int64_t count,
                                int64_t rows, int64_t columns) {
    const int64_t head = blockIdx.x * int64_t{blockDim.y} + threadIdx.y;
    if (head >= count) return;
    const Index row = sorted[head];
    if (!valid(row, rows) || (head != 0 && sorted[head - 1] == row)) return;
    for (int64_t c = threadIdx.x; c < columns; c += blockDim.x) {
        T sum{0};
        int64_t place = head;
        do {
            sum += grad[order[place] * columns + c];
        } while (++place < count && sorted[place] == row);
        grad_weight[row * columns + c] = sum;
    }
}

static const dim3 kBlock{32, 4, 1};
static unsigned blocks_for(int64_t positions) {
    return static_cast<unsigned>(std::max<int64_t>(1, (positions + kBlock.y - 1) / kBlock.y));
}

template <typename T, typename Index>
void launch_gather(const T* weight, const Index* indices, T* out, unsigned long long* outside, int64_t n, int64_t rows,
                   int64_t columns, cudaStream_t stream) {
    if (n == 0) return;
    const int64_t positions = n / columns;
    gather<<<blocks_for(positions), kBlock, 0, stream>>>(weight, indices, out, outside, positions, rows, columns);
}
template <typename T, typename Index>
void launch_scatter(const T* grad_out, const Index* indices, T* grad_weight, int64_t n, int64_t rows, int64_t columns,
                    cudaStream_t stream) {
    if (n == 0) return;
    const int64_t positions = n / columns;
    scatter<<<blocks_for(positions), kBlock, 0, stream>>>(grad_out, indices, grad_weight, positions, rows, columns);
}
template <typename T, typename Index>
void launch_segments(const T* grad_out, const Index* sorted, const int64_t* order, T* grad_weight, int64_t count,
                     int64_t rows, int64_t columns, cudaStream_t stream) {
    if (count * columns == 0) return;
    segments<<<blocks_for(count), kBlock, 0, stream>>>(grad_out, sorted, order, grad_weight, count, rows, columns);
}

#define INSTANTIATE(T, Index)                                                                                              \
    template void launch_gather(const T*, const Index*, T*, unsigned long long*, int64_t, int64_t, int64_t, cudaStream_t); \
    template void launch_scatter(const T*, const Index*, T*, int64_t, int64_t, int64_t, cudaStream_t);                     \
    template void launch_segments(const T*, const Index*, const int64_t*, T*, int64_t, int64_t, int64_t, cudaStream_t);
PER_TYPE(INSTANTIATE)
