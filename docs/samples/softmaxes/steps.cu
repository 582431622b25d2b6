// What lesson 16's picture of the running maximum shows: the loop of online.cu, in one thread that prints
// element, maximum, factor of the old sum, new term and sum after each step.
#include <cstdio>
#include <cuda_runtime.h>
#include <limits>

__global__ void running(const float* row, int count) {
    float mine = std::numeric_limits<float>::lowest(), sum = 0;
    for (int i = 0; i < count; ++i) {
        const float larger = max(mine, row[i]);
        const float factor = exp(mine - larger), term = exp(row[i] - larger);
        sum = sum * factor + term;
        mine = larger;
        printf("%g %g %.6f %.6f %.6f\n", row[i], mine, factor, term, sum);
    }
}

int main() {
    constexpr float kRow[] = {1, 3, 2, -1, 4, 2};
    float* row = nullptr;
    if (cudaMalloc(&row, sizeof(kRow)) != cudaSuccess) return 1;
    cudaMemcpy(row, kRow, sizeof(kRow), cudaMemcpyHostToDevice);
    running<<<1, 1>>>(row, sizeof(kRow) / sizeof(kRow[0]));
    const cudaError_t error = cudaDeviceSynchronize();
    cudaFree(row);
    return error == cudaSuccess ? 0 : 1;
}
