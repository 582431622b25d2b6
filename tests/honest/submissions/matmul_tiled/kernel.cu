#include <cstdint>
#include <cuda_runtime.h>

namespace {

template <int N>
struct Tile {
    static constexpr int size = N;
    static_assert(N > 0 && (N & (N - 1)) == 0, "a power of two");
    static constexpr unsigned blocks(int64_t extent) { return static_cast<unsigned>((extent + N - 1) / N); }
};

template <typename T, typename Shape>
__global__ void __launch_bounds__(Shape::size * Shape::size)
    gemm(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t m, int64_t k, int64_t n) {
    constexpr int size = Shape::size;
    __shared__ T left[size][size];
    __shared__ T right[size][size + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t row = int64_t(blockIdx.y) * size + y, column = int64_t(blockIdx.x) * size + x;
    T sum{};
    for (int64_t start = 0; start < k; start += size) {
        left[y][x] = row < m && start + x < k ? a[row * k + start + x] : T{};
        right[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : T{};
        __syncthreads();
#pragma unroll
        for (int i = 0; i < size; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < m && column < n) out[row * n + column] = sum;
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, cudaStream_t stream) {
    using Shape = Tile<16>;
    if (m * n == 0) return;
    const dim3 grid{Shape::blocks(n), Shape::blocks(m)}, block{Shape::size, Shape::size};
    gemm<T, Shape><<<grid, block, 0, stream>>>(a, b, out, m, k, n);
}

#define X(type) template void launch_matmul<type>(const type*, const type*, type*, int64_t, int64_t, int64_t, cudaStream_t);
X(float)
X(double)
#undef X
