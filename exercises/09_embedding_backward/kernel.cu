// Rows of a table by index, and the gradient of the table: by atomic additions, or in an order that the
// indices alone decide.
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

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
    // TODO(gather): one element of out: the row's value, or kNaN if there is no such row; count such
    //   positions in outside, once each, about 7 lines.
}

// Adds element i of grad_out (n elements) to the element of grad_weight (rows x columns) that it was a
// copy of. An index without a row adds nothing.
template <typename T, typename Index>
__global__ void scatter_kernel(const T* __restrict__ grad_out, const Index* __restrict__ indices,
                               T* __restrict__ grad_weight, int64_t n, int64_t rows, int64_t columns) {
    // TODO(scatter): add one element of grad_out to the element of grad_weight that it was copied from,
    //   about 5 lines.
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
    // TODO(segment): if this is the head of a segment, add up its rows of grad_out in order and write
    //   the sum, about 8 lines.
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
