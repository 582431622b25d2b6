#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "strides.h"

namespace cg = cooperative_groups;

namespace {

constexpr int TILE = 32;
constexpr int PITCH = TILE + 1;

template <typename T>
struct Operand {
    const T* data;
    int64_t rows, columns;
    Strides strides;
    __device__ T at(int64_t r, int64_t c) const {
        return r < rows && c < columns ? __ldg(data + r * strides.row + c * strides.column) : T{};
    }
};

template <typename T>
__device__ void fetch(T* tile, const Operand<T>& x, int64_t r0, int64_t c0) {
    const bool down = x.strides.row < x.strides.column;
    const unsigned r = down ? threadIdx.x : threadIdx.y;
    const unsigned c = down ? threadIdx.y : threadIdx.x;
    tile[r * PITCH + c] = x.at(r0 + r, c0 + c);
}

template <typename T>
__global__ void __launch_bounds__(TILE* TILE, 1)
    gemm(const Operand<T> a, const Operand<T> b, T* __restrict__ out, const int64_t m, const int64_t n, const int64_t k) {
    extern __shared__ __align__(16) unsigned char smem[];
    T* const a_tile = reinterpret_cast<T*>(smem);
    T* const b_tile = a_tile + 2 * TILE * PITCH;
    const cg::thread_block block = cg::this_thread_block();
    const int64_t r0 = int64_t(block.group_index().y) * TILE, c0 = int64_t(block.group_index().x) * TILE;
    const int64_t rounds = (k + TILE - 1) / TILE;
    T acc{};
    int stage = 0;
    if (rounds > 0) {
        fetch(a_tile, a, r0, 0);
        fetch(b_tile, b, 0, c0);
    }
    for (int64_t round = 0; round < rounds; ++round, stage ^= 1) {
        block.sync();
        if (round + 1 < rounds) {
            fetch(a_tile + (stage ^ 1) * TILE * PITCH, a, r0, (round + 1) * TILE);
            fetch(b_tile + (stage ^ 1) * TILE * PITCH, b, (round + 1) * TILE, c0);
        }
        const T* const left = a_tile + (stage * TILE + threadIdx.y) * PITCH;
        const T* const right = b_tile + stage * TILE * PITCH + threadIdx.x;
#pragma unroll 8
        for (int i = 0; i < TILE; ++i) acc = fma(left[i], right[i * PITCH], acc);
    }
    const int64_t row = r0 + threadIdx.y, column = c0 + threadIdx.x;
    if (row < m && column < n) out[row * n + column] = acc;
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, Strides a_strides, Strides b_strides,
                   cudaStream_t stream) {
    if (!m || !n) return;
    const size_t bytes = 4 * TILE * PITCH * sizeof(T);
    if (bytes > 48 << 10) cudaFuncSetAttribute(gemm<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    gemm<T><<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE), bytes, stream>>>(
        Operand<T>{a, m, k, a_strides}, Operand<T>{b, k, n, b_strides}, out, m, n, k);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t, Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t, int64_t, Strides, Strides, cudaStream_t);
