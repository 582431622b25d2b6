// Philox on the device.
#include <cuda_runtime.h>
#include <curand_kernel.h>

__global__ void noise(float* out, unsigned long long seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 0, &state);
    if (i < n) out[i] = curand_uniform(&state);
}

void run(float* out, unsigned long long seed, int n) { noise<<<(n + 127) / 128, 128>>>(out, seed, n); }
