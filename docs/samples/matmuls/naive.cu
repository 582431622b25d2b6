// Matrix product, one thread per element, without tiles: the kernel of exercise 06, for operands with any
// strides. Stands in for kernel.cu of exercise 15.
#include <cuda_runtime.h>

#include "strides.h"

namespace {

template <typename T>
__global__ void matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                              int64_t m, int64_t k, int64_t n, Strides a_strides,
                              Strides b_strides) {
    const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;  // no barrier below: returning is fine here
    // --8<-- [start:kernel]
    T sum = 0;
    for (int64_t i = 0; i < k; ++i) {
        sum += a[row * a_strides.row + i * a_strides.column] *
               b[i * b_strides.row + column * b_strides.column];
    }
    out[row * n + column] = sum;
    // --8<-- [end:kernel]
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    const dim3 block(32, 8);
    const dim3 grid(static_cast<unsigned>((n + block.x - 1) / block.x),
                    static_cast<unsigned>((m + block.y - 1) / block.y));
    matmul_kernel<T><<<grid, block, 0, stream>>>(a, b, out, m, k, n, a_strides, b_strides);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, Strides, Strides, cudaStream_t);
