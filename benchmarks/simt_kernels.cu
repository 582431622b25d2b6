// Five kernels and their wall time, as an ordinary CUDA program: the simulated nvcc and the real one compile it.
// Prints one line a kernel: name, milliseconds (median of the rounds), CUDA threads launched.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

constexpr int kTile = 16;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int k = 0; k < n; k += kTile) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();  // the tiles are complete
        for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();  // everyone has read them
    }
    c[row * n + column] = sum;
}

__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();  // the tile is complete
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void warp_reduction(const float* x, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void barriers_only(int count) {
    for (int i = 0; i < count; ++i) __syncthreads();  // nothing but fiber switches
}

template <typename Launch>
void measure(const char* name, long threads, int rounds, Launch launch) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        launch();
        if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        times.push_back(elapsed.count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%s %.3f %ld\n", name, times[times.size() / 2], threads);
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
            [&] { tiled_matmul<<<dim3(side / kTile, side / kTile), dim3(kTile, kTile)>>>(a, b, c, side); });
    measure("transpose", image * image / 4, 9,
            [&] { transpose<<<dim3(image / 32, image / 32), dim3(32, 8)>>>(a, c, image); });
    measure("warp_reduction", 64 * 256, 9, [&] { warp_reduction<<<64, 256>>>(a, c, n); });
    measure("barriers_only", 256, 9, [&] { barriers_only<<<1, 256>>>(10000); });
    return 0;
}
