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
    // TODO(position): the column (from x) and the row (from y) of this thread's element, and the guard
    //   for both, about 3 lines.
    const int64_t column = 0, row = 0;

    // TODO(product): add up the k products of this row and column, then store the sum once, about 6
    //   lines.
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   cudaStream_t stream) {
    // TODO(launcher): a two-dimensional grid of blocks of kColumnsPerBlock x kRowsPerBlock threads; no
    //   launch for an empty result, about 4 lines.
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, cudaStream_t);
