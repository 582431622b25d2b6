// What simt_kernels.cu and numba_comparison.cu have in common: three kernels, and how a launch is timed.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTile = 16, kSide = 32, kRows = 8;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// (n, inner) times (inner, n)
__global__ void tiled_matmul(const float* a, const float* b, float* c, int n, int inner) {
    __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int k = 0; k < inner; k += kTile) {
        tile_a[y][x] = a[row * inner + k + x];
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

// Prints name, seconds (median of the rounds), CUDA threads launched.
template <typename Launch>
void measure(const char* name, long threads, int rounds, Launch launch) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        launch();
        if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        times.push_back(elapsed.count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%s %.6f %ld\n", name, times[times.size() / 2], threads);
}
