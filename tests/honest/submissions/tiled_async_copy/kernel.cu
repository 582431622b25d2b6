#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "strides.h"

namespace {

constexpr int kTile = 32;
constexpr int kPitch = kTile + 1;

// One element of a tile, queued: the copy is done at the next wait.
template <typename T>
__device__ void fetch(T (&tile)[kTile][kPitch], const T* x, int64_t rows, int64_t columns, Strides strides, int64_t r0, int64_t c0) {
    const bool down = strides.row < strides.column;
    const int r = down ? threadIdx.x : threadIdx.y, c = down ? threadIdx.y : threadIdx.x;
    if (r0 + r < rows && c0 + c < columns) {
        __pipeline_memcpy_async(&tile[r][c], x + (r0 + r) * strides.row + (c0 + c) * strides.column, sizeof(T));
    } else {
        tile[r][c] = T(0);
    }
}

template <typename T>
__global__ void __launch_bounds__(kTile* kTile)
    matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, Strides sa, Strides sb) {
    __shared__ T left[kTile][kPitch], right[kTile][kPitch];
    const int64_t r0 = int64_t(blockIdx.y) * kTile, c0 = int64_t(blockIdx.x) * kTile;
    T sum = 0;
    for (int64_t first = 0; first < k; first += kTile) {
        fetch(left, a, m, k, sa, r0, first);
        fetch(right, b, k, n, sb, first, c0);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (r0 + threadIdx.y < m && c0 + threadIdx.x < n) out[(r0 + threadIdx.y) * n + c0 + threadIdx.x] = sum;
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, Strides a_strides, Strides b_strides, cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    matmul<T><<<dim3(unsigned((n + kTile - 1) / kTile), unsigned((m + kTile - 1) / kTile)), dim3(kTile, kTile), 0, stream>>>(
        a, b, out, m, k, n, a_strides, b_strides);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t, Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t, int64_t, Strides, Strides, cudaStream_t);
