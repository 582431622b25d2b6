// Five kernels for numba_comparison.py, the same as in numba_kernels.py: same blocks, same work for each thread.
// Prints one line a kernel: name, seconds (median of the rounds), CUDA threads launched.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBlock = 256, kTile = 16, kInner = 64, kSide = 32, kRows = 8, kBins = 64;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// (n, kInner) times (kInner, n)
__global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int k = 0; k < kInner; k += kTile) {
        tile_a[y][x] = a[row * kInner + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();  // the tiles are complete
        for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();  // everyone has read them
    }
    c[row * n + column] = sum;
}

__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[kSide][kSide + 1];
    int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
    for (int j = 0; j < kSide; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();  // the tile is complete
    x = blockIdx.y * kSide + threadIdx.x;
    y = blockIdx.x * kSide + threadIdx.y;
    for (int j = 0; j < kSide; j += kRows) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

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

template <typename Launch>
void measure(const char* name, long threads, Launch launch) {
    std::vector<double> times;
    for (int round = 0; round < 5; ++round) {
        const auto start = std::chrono::steady_clock::now();
        launch();
        if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        times.push_back(elapsed.count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%s %.6f %ld\n", name, times[times.size() / 2], threads);
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
    measure("vector_add", n, [&] { vector_add<<<n / kBlock, kBlock>>>(a, b, c, n); });
    measure("tiled_matmul", side * side,
            [&] { tiled_matmul<<<dim3(side / kTile, side / kTile), dim3(kTile, kTile)>>>(a, b, c, side); });
    measure("transpose", image * image / (kSide / kRows),
            [&] { transpose<<<dim3(image / kSide, image / kSide), dim3(kSide, kRows)>>>(a, c, image); });
    measure("reduction", n, [&] { reduction<<<n / kBlock, kBlock>>>(a, c, n); });
    measure("histogram", n, [&] { histogram<<<n / kBlock, kBlock>>>(data, bins, n); });
    return 0;
}
