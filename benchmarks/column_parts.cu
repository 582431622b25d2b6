// How many partial sums does a sum over the rows of a matrix need? The two launches of exercise 14's column
// sums, timed for several numbers of parts, with one and with eight loads in flight per thread.
//
//     nvcc -O3 -arch=sm_90 -o column_parts benchmarks/column_parts.cu && ./column_parts
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kRuns = 7, kLaunches = 10;  // the median of 7 runs of 10 calls each
constexpr int64_t kColumns = 4096;

// As column_stage in solutions/14_reduction/kernel.cu, with `kLoads` loads before their values are added.
template <int kLoads>
__global__ void column_stage(const float* __restrict__ x, float* __restrict__ sums, int64_t rows,
                             int64_t columns) {
    __shared__ float tile[kWarp][kWarp + 1];
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kWarp;
    const int64_t step = static_cast<int64_t>(gridDim.y) * kWarp;
    float sum = 0;
    if (first_column + lane < columns) {
        const float* column = x + first_column + lane;
        int64_t row = static_cast<int64_t>(blockIdx.y) * kWarp + warp;
        for (; row + (kLoads - 1) * step < rows; row += kLoads * step) {
            float values[kLoads];
#pragma unroll
            for (int k = 0; k < kLoads; ++k) values[k] = column[(row + k * step) * columns];
#pragma unroll
            for (int k = 0; k < kLoads; ++k) sum += values[k];
        }
        for (; row < rows; row += step) sum += column[row * columns];
    }
    tile[warp][lane] = sum;
    __syncthreads();
    sum = tile[lane][warp];
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (lane == 0 && first_column + warp < columns) {
        sums[static_cast<int64_t>(blockIdx.y) * columns + first_column + warp] = sum;
    }
}

template <typename Call>
float milliseconds(Call call) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < 5; ++i) call();
    float runs[kRuns];
    for (float& run : runs) {
        cudaEventRecord(begin);
        for (int i = 0; i < kLaunches; ++i) call();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&run, begin, end);
    }
    std::sort(runs, runs + kRuns);
    return runs[kRuns / 2] / kLaunches;
}

template <int kLoads>
float column_sums(const float* x, float* scratch, int64_t rows, int64_t parts) {
    const auto stage = [&](const float* from, float* to, int64_t count, int64_t into) {
        const dim3 grid(kColumns / kWarp, static_cast<unsigned>(into)), block(kWarp, kWarp);
        column_stage<kLoads><<<grid, block>>>(from, to, count, kColumns);
    };
    return milliseconds([&] {
        stage(x, scratch, rows, parts);
        if (parts > 1) stage(scratch, scratch + parts * kColumns, parts, 1);
    });
}

}  // namespace

int main() {
    const int64_t most = 131072 * kColumns;
    float *x, *scratch;
    cudaMalloc(&x, most * sizeof(float));
    cudaMalloc(&scratch, 257 * kColumns * sizeof(float));
    cudaMemset(x, 0, most * sizeof(float));
    std::printf("| rows | parts | one load at a time | eight loads |\n|---|---|---|---|\n");
    for (const int64_t rows : {8192, 32768, 131072}) {
        for (const int64_t parts : {1, 2, 4, 8, 16, 32, 64, 256}) {
            const float one = column_sums<1>(x, scratch, rows, parts);
            const float eight = column_sums<8>(x, scratch, rows, parts);
            const double bytes = rows * kColumns * sizeof(float);
            std::printf("| %ld | %ld | %.4f ms, %.2f TB/s | %.4f ms, %.2f TB/s |\n", static_cast<long>(rows),
                        static_cast<long>(parts), one, bytes * 1e-9 / one, eight, bytes * 1e-9 / eight);
        }
    }
    const cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) std::printf("%s\n", cudaGetErrorString(status));
    return status == cudaSuccess ? 0 : 1;
}
