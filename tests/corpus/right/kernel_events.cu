// Timing with events, and two streams that wait for each other.
#include <cuda_runtime.h>
#include <iomanip>
#include <sstream>
#include <string>

__global__ void touch(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 1.5f;
}

std::string timed(float* x, int n) {
    cudaEvent_t start{}, stop{};
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    touch<<<(n + 255) / 256, 256>>>(x, n);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float milliseconds = 0.0f;
    cudaEventElapsedTime(&milliseconds, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << milliseconds << " ms";
    return text.str();
}
