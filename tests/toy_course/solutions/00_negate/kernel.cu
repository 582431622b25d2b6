// y = -x, one CUDA thread per element.
#include <cstdint>
#include <cuda_runtime.h>

// --8<-- [start:kernel]
__global__ void negate_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
// --8<-- [end:kernel]
    // --8<-- [start:index]
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // --8<-- [end:index]
    // --8<-- [start:store]
    y[i] = -x[i];
    // --8<-- [end:store]
}

void launch_negate(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    negate_kernel<<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream>>>(x, y, n);
}
