// Five kernels for numba_comparison.py, the same as in numba_kernels.py: same blocks, same work for each thread.
#include "kernels.cuh"

constexpr int kBlock = 256, kInner = 64, kBins = 64, kRounds = 5;

__global__ void reduction(const float* in, float* out, int n) {
    __shared__ float partial[kBlock];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();  // all partial sums are there
    for (int step = kBlock / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();  // half as many are left
    }
    if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

__global__ void histogram(const int* data, int* bins, int n) {
    __shared__ int local[kBins];
    if (threadIdx.x < kBins) local[threadIdx.x] = 0;
    __syncthreads();  // the block's bins are empty
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[data[i]], 1);
    __syncthreads();  // the block has counted
    if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

template <typename T>
T* filled(size_t count, T value) {
    std::vector<T> values(count, value);
    T* memory = nullptr;
    if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) std::exit(1);
    cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

int main() {
    const int n = 1 << 22, side = 1024, image = 2048;
    float *a = filled(n, 1.0f), *b = filled(n, 2.0f), *c = filled(n, 0.0f);
    int *data = filled(n, 7), *bins = filled(kBins, 0);
    measure("vector_add", n, kRounds, [&] { vector_add<<<n / kBlock, kBlock>>>(a, b, c, n); });
    measure("tiled_matmul", side * side, kRounds,
            [&] { tiled_matmul<<<dim3(side / kTile, side / kTile), dim3(kTile, kTile)>>>(a, b, c, side, kInner); });
    measure("transpose", image * image / (kSide / kRows), kRounds,
            [&] { transpose<<<dim3(image / kSide, image / kSide), dim3(kSide, kRows)>>>(a, c, image); });
    measure("reduction", n, kRounds, [&] { reduction<<<n / kBlock, kBlock>>>(a, c, n); });
    measure("histogram", n, kRounds, [&] { histogram<<<n / kBlock, kBlock>>>(data, bins, n); });
    return 0;
}
