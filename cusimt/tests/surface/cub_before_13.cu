// A call of CUB with `debug_synchronous`, which it took until CUDA 12.
#include <cub/cub.cuh>

extern "C" void sums(const int* data, int* out, int n) {
    void* temporary = nullptr;
    size_t bytes = 0;
    bool debug_synchronous = false;
    cub::DeviceScan::InclusiveSum(temporary, bytes, data, out, n, nullptr, debug_synchronous);
    cudaMalloc(&temporary, bytes);
    cub::DeviceScan::InclusiveSum(temporary, bytes, data, out, n, nullptr, debug_synchronous);
    cudaFree(temporary);
}
