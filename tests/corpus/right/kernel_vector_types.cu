// float4 loads with a scalar tail.
#include <cstdint>
#include <cuda_runtime.h>
#include <vector_types.h>

__global__ void negate(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    const int64_t quads = n / 4;
    if (i < quads) {
        const float4 v = __ldg(reinterpret_cast<const float4*>(x) + i);
        reinterpret_cast<float4*>(y)[i] = make_float4(-v.x, -v.y, -v.z, -v.w);
    } else if (i - quads < n % 4) {
        y[4 * quads + i - quads] = -x[4 * quads + i - quads];
    }
}

void run(const float* x, float* y, int64_t n) { negate<<<static_cast<int>(n / 4 / 256 + 1), 256>>>(x, y, n); }
