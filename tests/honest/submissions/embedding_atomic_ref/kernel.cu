#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

struct Shape {
    int64_t n, rows, columns;
};

template <typename T, typename Index>
struct Gather {
    const T* weight;
    const Index* indices;
    T* out;
    unsigned long long* outside;
    Shape shape;
};

template <typename T, typename Index>
__global__ void gather(const __grid_constant__ Gather<T, Index> p) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= p.shape.n) return;
    const int64_t column = i % p.shape.columns;
    const int64_t row = p.indices[i / p.shape.columns];
    if (row >= 0 && row < p.shape.rows) {
        p.out[i] = p.weight[row * p.shape.columns + column];
        return;
    }
    p.out[i] = cuda::std::numeric_limits<T>::quiet_NaN();
    if (p.outside && column == 0) {
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*p.outside).fetch_add(1, cuda::memory_order_relaxed);
    }
}

template <typename T, typename Index>
__global__ void scatter(const T* grad, const Index* indices, T* grad_weight, const Shape s) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= s.n) return;
    const int64_t row = indices[i / s.columns];
    if (row < 0 || row >= s.rows) return;
    cuda::atomic_ref<T, cuda::thread_scope_device> cell(grad_weight[row * s.columns + i % s.columns]);
    cell.fetch_add(grad[i], cuda::std::memory_order_relaxed);
}

template <typename T, typename Index>
__global__ void segments(const T* grad, const Index* sorted, const int64_t* order, T* grad_weight, int64_t count, const Shape s) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count * s.columns) return;
    const int64_t head = i / s.columns, column = i % s.columns, row = sorted[head];
    if (row < 0 || row >= s.rows || (head > 0 && sorted[head - 1] == row)) return;
    T sum = 0;
    for (int64_t at = head; at < count && sorted[at] == row; ++at) sum += grad[order[at] * s.columns + column];
    grad_weight[row * s.columns + column] = sum;
}

constexpr int kThreads = 128;
constexpr unsigned blocks(int64_t n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

}  // namespace

template <typename T, typename Index>
void launch_gather(const T* weight, const Index* indices, T* out, unsigned long long* outside, int64_t n, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (n != 0) gather<T, Index><<<blocks(n), kThreads, 0, stream>>>({weight, indices, out, outside, {n, rows, columns}});
}
template <typename T, typename Index>
void launch_scatter(const T* grad_out, const Index* indices, T* grad_weight, int64_t n, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (n != 0) scatter<T, Index><<<blocks(n), kThreads, 0, stream>>>(grad_out, indices, grad_weight, {n, rows, columns});
}
template <typename T, typename Index>
void launch_segments(const T* grad_out, const Index* sorted, const int64_t* order, T* grad_weight, int64_t count, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (count * columns != 0) segments<T, Index><<<blocks(count * columns), kThreads, 0, stream>>>(grad_out, sorted, order, grad_weight, count, {count * columns, rows, columns});
}

#define INSTANTIATE(T, Index)                                                                                              \
    template void launch_gather(const T*, const Index*, T*, unsigned long long*, int64_t, int64_t, int64_t, cudaStream_t); \
    template void launch_scatter(const T*, const Index*, T*, int64_t, int64_t, int64_t, cudaStream_t);                     \
    template void launch_segments(const T*, const Index*, const int64_t*, T*, int64_t, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float, int32_t)
INSTANTIATE(float, int64_t)
INSTANTIATE(double, int32_t)
INSTANTIATE(double, int64_t)
