// out = a + b over n floats. No PyTorch here: this file and binding.cpp need the CUDA toolkit and
// pybind11 only.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void vector_add_kernel(const float* __restrict__ d_a, const float* __restrict__ d_b,
                                  float* __restrict__ d_out, int64_t n) {
    // --8<-- [start:kernel]
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d_out[i] = d_a[i] + d_b[i];
    // --8<-- [end:kernel]
}

}  // namespace

// d_a, d_b, d_out: n floats each, in device memory (the d_ prefix says so). Returns the error of
// the launch, if any.
cudaError_t launch_vector_add(const float* d_a, const float* d_b, float* d_out, int64_t n) {
    // --8<-- [start:launch]
    if (n == 0) return cudaSuccess;  // a grid of zero blocks is an invalid launch
    const int64_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
    vector_add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, d_b, d_out, n);
    return cudaGetLastError();
    // --8<-- [end:launch]
}
