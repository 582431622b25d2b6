// The block size that the occupancy calculator suggests, and the device's properties.
#include <algorithm>
#include <cuda_runtime.h>

__global__ void add_one(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += 1.0f;
}

cudaError_t run(float* x, int n, cudaStream_t stream) {
    int grid = 0, block = 0, device = 0, processors = 0;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_one, 0, 0);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, device);
    grid = std::clamp((n + block - 1) / block, 1, 2 * processors * std::max(1, properties.warpSize / 32));
    add_one<<<grid, block, 0, stream>>>(x, n);
    return cudaGetLastError();
}
