// Rows by index and their gradient; a counter by compare-and-swap, loops that end in their middle or have no body.
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

// Counts up by compare-and-swap.
__device__ void count(unsigned long long* counter) {
    unsigned long long seen, found = 0;
    do {
        seen = found;
        found = atomicCAS(counter, seen, seen + 1);
    } while (seen != found);
}

constexpr int kThreadsPerBlock = 256;

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// out: n elements, `columns` to a position; position p gets row indices[p] of weight (rows x columns), or
// NaN if there is no such row. outside: a counter of the indices without a row, or nullptr.
template <typename T, typename Index>
__global__ void gather_kernel(const T* __restrict__ weight, const Index* __restrict__ indices,
                              T* __restrict__ out, unsigned long long* __restrict__ outside, int64_t n,
                              int64_t rows, int64_t columns) {
    const T kNaN = static_cast<T>(NAN);  // not a number
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int64_t row = indices[i / columns];
    const int64_t column = i % columns;
    const bool inside = row >= 0 && row < rows;
    out[i] = inside ? weight[row * columns + column] : kNaN;
    // One thread of the position counts it. Integers add up to the same number in any order.
    if (!inside && outside != nullptr && column == 0) count(outside);
}

// Adds element i of grad_out (n elements) to the element of grad_weight (rows x columns) that it was a
// copy of. An index without a row adds nothing.
template <typename T, typename Index>
__global__ void scatter_kernel(const T* __restrict__ grad_out, const Index* __restrict__ indices,
                               T* __restrict__ grad_weight, int64_t n, int64_t rows, int64_t columns) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int64_t row = indices[i / columns];
    if (row < 0 || row >= rows) return;
    // Other positions may hold the same index: their threads add to this very element.
    atomicAdd(&grad_weight[row * columns + i % columns], grad_out[i]);
}

// sorted: the `count` indices in ascending order, so that equal ones are neighbours: a segment. order: the
// position of each of them in grad_out. The thread at the head of a segment adds up the whole segment, in
// the order of `order`, for one column.
template <typename T, typename Index>
__global__ void segment_kernel(const T* __restrict__ grad_out, const Index* __restrict__ sorted,
                               const int64_t* __restrict__ order, T* __restrict__ grad_weight, int64_t count,
                               int64_t rows, int64_t columns) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count * columns) return;
    const int64_t head = i / columns;
    const int64_t column = i % columns;
    const int64_t row = sorted[head];
    if (row < 0 || row >= rows) return;
    if (head > 0 && sorted[head - 1] == row) return;  // not the head: another thread has this segment
    int64_t end = head;
    while (++end < count && sorted[end] == row) {
    }
    T sum = 0;
    for (int64_t place = head;; ++place) {
        if (place == end) break;
        sum += grad_out[order[place] * columns + column];
    }
    grad_weight[row * columns + column] = sum;  // the only thread that writes here
}

}  // namespace

template <typename T, typename Index>
void launch_gather(const T* weight, const Index* indices, T* out, unsigned long long* outside, int64_t n,
                   int64_t rows, int64_t columns, cudaStream_t stream) {
    if (n == 0) return;
    gather_kernel<T, Index><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(weight, indices, out, outside, n,
                                                                            rows, columns);
}

template <typename T, typename Index>
void launch_scatter(const T* grad_out, const Index* indices, T* grad_weight, int64_t n, int64_t rows,
                    int64_t columns, cudaStream_t stream) {
    if (n == 0) return;
    scatter_kernel<T, Index>
        <<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(grad_out, indices, grad_weight, n, rows, columns);
}

template <typename T, typename Index>
void launch_segments(const T* grad_out, const Index* sorted, const int64_t* order, T* grad_weight,
                     int64_t count, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (count * columns == 0) return;
    segment_kernel<T, Index><<<blocks_for(count * columns), kThreadsPerBlock, 0, stream>>>(
        grad_out, sorted, order, grad_weight, count, rows, columns);
}

#define INSTANTIATE(T, Index)                                                                             \
    template void launch_gather<T, Index>(const T*, const Index*, T*, unsigned long long*, int64_t,       \
                                          int64_t, int64_t, cudaStream_t);                                \
    template void launch_scatter<T, Index>(const T*, const Index*, T*, int64_t, int64_t, int64_t,         \
                                           cudaStream_t);                                                 \
    template void launch_segments<T, Index>(const T*, const Index*, const int64_t*, T*, int64_t, int64_t, \
                                            int64_t, cudaStream_t);

INSTANTIATE(float, int32_t)
INSTANTIATE(float, int64_t)
INSTANTIATE(double, int32_t)
INSTANTIATE(double, int64_t)
