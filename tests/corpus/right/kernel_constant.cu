// A table in constant memory, filled from the host.
#include <array>
#include <cuda_runtime.h>

__constant__ float weights[9];

__global__ void blur(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 9 > n) return;
    float sum = 0.0f;
    for (int k = 0; k < 9; ++k) sum += weights[k] * in[i + k];
    out[i] = sum;
}

void run(const float* in, float* out, int n, cudaStream_t stream) {
    std::array<float, 9> host{};
    host.fill(1.0f / 9.0f);
    cudaMemcpyToSymbolAsync(weights, host.data(), sizeof host, 0, cudaMemcpyHostToDevice, stream);
    blur<<<(n + 127) / 128, 128, 0, stream>>>(in, out, n);
}
