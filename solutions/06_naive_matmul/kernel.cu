// out = a @ b, one thread per element of out: every thread reads a whole row of a and a whole
// column of b.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

// 32 threads along a row of `out`, so that a warp reads 32 neighbouring elements of b and one
// element of a.
constexpr unsigned kColumnsPerBlock = 32;
constexpr unsigned kRowsPerBlock = 8;

// a: m x k, b: k x n, out: m x n, all row-major and dense.
template <typename T>
__global__ void matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                              int64_t m, int64_t k, int64_t n) {
    // --8<-- [start:position]
    const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    // --8<-- [end:position]

    // --8<-- [start:product]
    T sum = 0;
    for (int64_t i = 0; i < k; ++i) {
        sum +=
            a[row * k + i] * b[i * n + column];  // element (row, i) of a, element (i, column) of b
    }
    out[row * n + column] = sum;
    // --8<-- [end:product]
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   cudaStream_t stream) {
    // --8<-- [start:launcher]
    if (m == 0 || n == 0) return;  // nothing to write; k == 0 still launches and writes zeros
    const dim3 block(kColumnsPerBlock, kRowsPerBlock);
    const dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    matmul_kernel<T><<<grid, block, 0, stream>>>(a, b, out, m, k, n);
    // --8<-- [end:launcher]
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, cudaStream_t);
