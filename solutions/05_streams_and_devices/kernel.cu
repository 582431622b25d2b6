// One step of heat around a ring of cells. CUDA headers only: this file compiles in about a second.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// after[i] = before[i] + rate * (left - 2 * before[i] + right), for n cells. The cells are a ring:
// left of the first one is the last, right of the last one is the first.
template <typename T>
__global__ void diffuse_kernel(const T* __restrict__ before, T* __restrict__ after, int64_t n,
                               T rate) {
    // --8<-- [start:kernel]
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T left = before[i == 0 ? n - 1 : i - 1];
    const T right = before[i + 1 == n ? 0 : i + 1];
    after[i] = before[i] + rate * (left - T(2) * before[i] + right);
    // --8<-- [end:kernel]
}

}  // namespace

// Pointers are device memory, n elements each, and do not overlap.
template <typename T>
void launch_diffuse(const T* before, T* after, int64_t n, T rate, cudaStream_t stream) {
    // --8<-- [start:launcher]
    if (n == 0) return;
    diffuse_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(before, after, n, rate);
    // --8<-- [end:launcher]
}

template void launch_diffuse<float>(const float*, float*, int64_t, float, cudaStream_t);
template void launch_diffuse<double>(const double*, double*, int64_t, double, cudaStream_t);
