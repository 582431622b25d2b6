// What is measured, gelu(x + bias) in one pass over memory as in 07; and a kernel that only takes time.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr float kSqrtTwoOverPi = 0.79788456f;
constexpr float kCubic = 0.044715f;

// x, out: n elements, row-major with `columns` to a row. bias: `columns` elements.
__global__ void bias_gelu_kernel(const float* __restrict__ x, const float* __restrict__ bias,
                                 float* __restrict__ out, int64_t n, int64_t columns) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float z = x[i] + bias[i % columns];
    const float t = tanhf(kSqrtTwoOverPi * (z + kCubic * z * z * z));
    out[i] = 0.5f * z * (1.0f + t);
}

// One thread looks at its multiprocessor's clock until `cycles` have passed.
__global__ void hold_kernel(int64_t cycles) {
    const int64_t start = clock64();
    while (clock64() - start < cycles) {
    }
}

}  // namespace

void launch_bias_gelu(const float* x, const float* bias, float* out, int64_t n, int64_t columns,
                      cudaStream_t stream) {
    if (n == 0) return;
    const auto blocks = static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
    bias_gelu_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(x, bias, out, n, columns);
}

void launch_hold(int64_t cycles, cudaStream_t stream) {
    hold_kernel<<<1, 1, 0, stream>>>(cycles);
}
