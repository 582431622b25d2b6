// Five kernels and their wall time, as an ordinary CUDA program: the simulated nvcc and the real one compile it.
#include "kernels.cuh"

__global__ void warp_reduction(const float* x, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void barriers_only(int count) {
    for (int i = 0; i < count; ++i) __syncthreads();  // nothing but fiber switches
}

int main() {
    const int n = 1 << 20, side = 256, image = 1024;
    float *a, *b, *c;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    std::vector<float> ones(n, 1.0f);
    cudaMemcpy(a, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, n * sizeof(float));
    measure("vector_add", n, 9, [&] { vector_add<<<n / 256, 256>>>(a, b, c, n); });
    measure("tiled_matmul", side * side, 9,
            [&] { tiled_matmul<<<dim3(side / kTile, side / kTile), dim3(kTile, kTile)>>>(a, b, c, side, side); });
    measure("transpose", image * image / (kSide / kRows), 9,
            [&] { transpose<<<dim3(image / kSide, image / kSide), dim3(kSide, kRows)>>>(a, c, image); });
    measure("warp_reduction", 64 * 256, 9, [&] { warp_reduction<<<64, 256>>>(a, c, n); });
    measure("barriers_only", 256, 9, [&] { barriers_only<<<1, 256>>>(10000); });
    return 0;
}
