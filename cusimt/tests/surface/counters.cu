// Kernels whose memory traffic is known: measured on an H200 with Nsight Compute (benchmarks/results/memory_counters_h200.csv)
// for the first seven, and small enough to count by hand for the others.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// ---- measured on hardware -------------------------------------------------------------------------------------------------

__global__ void product(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
    c[row * n + column] = sum;
}

constexpr int kTile = 16;

__global__ void product_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[kTile][kTile], right[kTile][kTile];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
    float sum = 0;
    for (int first = 0; first < n; first += kTile) {
        left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        right[y][x] = column < n && first + y < n ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < kTile; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void turn(const float* from, float* to, int n) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += blockDim.y) {
        if (column < n && row + down < n) to[column * n + row + down] = from[(row + down) * n + column];
    }
}

template <int padding>
__global__ void turn_tiled(const float* from, float* to, int n) {
    __shared__ float tile[32][32 + padding];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += blockDim.y) {
        if (column < n && row + down < n) tile[threadIdx.y + down][threadIdx.x] = from[(row + down) * n + column];
    }
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int down = 0; down < 32; down += blockDim.y) {
        if (column < n && row + down < n) to[(row + down) * n + column] = tile[threadIdx.x][threadIdx.y + down];
    }
}

__device__ float over_warp(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
    return value;
}

__global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float of_warp[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    sum = over_warp(sum);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = over_warp(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void copy_every(const float* x, float* y, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) y[i] = x[i];
}

extern "C" void matmul(float* a, float* b, float* c, int n) { product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); }
extern "C" void matmul_tiled(float* a, float* b, float* c, int n) {
    product_tiled<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}
extern "C" void transpose(float* x, float* y, int n) { turn<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(x, y, n); }
extern "C" void transpose_tiled(float* x, float* y, int n) { turn_tiled<0><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(x, y, n); }
extern "C" void transpose_padded(float* x, float* y, int n) {
    turn_tiled<1><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(x, y, n);
}
extern "C" void reduction(float* x, float* sums, int n) { block_sums<<<64, 256>>>(x, sums, n); }
extern "C" void strided(float* x, float* y, int n, int stride) { copy_every<<<128, 256>>>(x, y, n, stride); }

// ---- one request each ---------------------------------------------------------------------------------------------------------

// Each lane with places[lane] >= 0 copies the element there, of global or shared memory.
template <typename T>
__global__ void gather(const T* x, T* y, const int* places) {
    int place = places[threadIdx.x];
    if (place >= 0) y[place] = x[place];
}

template <typename T>
__global__ void gather_shared(const T* x, T* y, const int* places, int elements) {
    extern __shared__ __align__(16) char memory[];
    T* tile = reinterpret_cast<T*>(memory);
    if (threadIdx.x == 0) {
        for (int i = 0; i < elements; ++i) tile[i] = x[i];
    }
    __syncthreads();
    int place = places[threadIdx.x];
    T value{};
    if (place >= 0) value = tile[place];
    __syncthreads();
    if (place >= 0) tile[place] = value;
    __syncthreads();
    if (threadIdx.x == 0) y[0] = tile[0];
}

#define GATHERS(name, T)                                                                                             \
    extern "C" void gather_##name(T* x, T* y, int* places) { gather<T><<<1, 32>>>(x, y, places); }                   \
    extern "C" void gather_shared_##name(T* x, T* y, int* places, int elements) {                                   \
        gather_shared<T><<<1, 32, elements * sizeof(T)>>>(x, y, places, elements);                                  \
    }
GATHERS(1, unsigned char)
GATHERS(2, unsigned short)
GATHERS(4, float)
GATHERS(8, double)
GATHERS(16, float4)

// A record for whose size there is no instruction: three of 4 bytes.
extern "C" void gather_12(float3* x, float3* y, int* places) { gather<float3><<<1, 32>>>(x, y, places); }

__global__ void count_into(int* counts, const int* places) {
    __shared__ int own[64];
    own[threadIdx.x] = own[threadIdx.x + 32] = 0;
    __syncthreads();
    atomicAdd(&counts[places[threadIdx.x]], 1);
    atomicAdd(&own[places[threadIdx.x]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
extern "C" void histogram(int* counts, int* places) { count_into<<<1, 32>>>(counts, places); }

// ---- lanes that part ----------------------------------------------------------------------------------------------------------

__global__ void two_branches(const float* x, float* y) {
    int lane = threadIdx.x;
    float value = x[lane];
    if (lane % 2) value += x[32 + lane];
    else y[32 + lane] = value;
    y[lane] = value;
}
extern "C" void branches(float* x, float* y) { two_branches<<<1, 32>>>(x, y); }

__global__ void first_n(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = x[i];
}
extern "C" void tail(float* x, float* y, int n) { first_n<<<(n + 255) / 256, 256>>>(x, y, n); }

// Row i of a triangle has i + 1 elements: lanes leave the loop one by one, and meet again behind it.
__global__ void triangle_rows(const float* x, float* y, int rows) {
    int row = threadIdx.x;
    for (int part = 0; part < 2; ++part) {
        int end = part ? rows - row : row + 1;
        float sum = y[part * rows + row];
        for (int i = 0; i < end; ++i) sum += x[i * rows + row];
        y[part * rows + row] = sum;
    }
}
extern "C" void triangle(float* x, float* y) { triangle_rows<<<1, 32>>>(x, y, 32); }

// Rows of different lengths, one per lane at a time: a loop within a loop, both counted.
__global__ void ragged_rows(const int* starts, const float* x, float* y, int rows) {
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        float sum = 0;
        int end = starts[row + 1];
        for (int i = starts[row]; i < end; ++i) sum += x[i];
        y[row] = sum;
    }
}
extern "C" void ragged(int* starts, float* x, float* y, int rows) { ragged_rows<<<1, 32>>>(starts, x, y, rows); }

// Every lane takes the branch in another round.
__global__ void one_by_one(const float* x, float* y, int rounds) {
    float sum = 0;
    for (int i = 0; i < rounds; ++i) {
        sum += x[i];
        if (i == int(threadIdx.x)) y[threadIdx.x] = sum;
    }
}
extern "C" void rounds(float* x, float* y, int n) { one_by_one<<<1, 32>>>(x, y, n); }

// Long lists: three accesses in each of many rounds, lanes of the upper half skip one.
__global__ void many_rounds(float* x, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        x[threadIdx.x] += 1;
        if (threadIdx.x < 16) x[64 + threadIdx.x] = float(i);
    }
}
extern "C" void long_loop(float* x, int n) { many_rounds<<<1, 64>>>(x, n); }

// Two guards around what all lanes do: a compiler that made two copies of it would part the lanes.
__global__ void guarded_twice(const float* x, float* y, int n) {
    __shared__ float tile[64];
    bool valid = int(threadIdx.x) < n;
    if (valid) tile[threadIdx.x] = x[threadIdx.x];
    else tile[threadIdx.x] = 0;
    __syncthreads();
    float sum = tile[63 - threadIdx.x] + x[threadIdx.x % 4];
    __syncthreads();
    tile[threadIdx.x] = sum;
    if (valid) y[threadIdx.x] = sum;
}
extern "C" void guarded(float* x, float* y, int n) { guarded_twice<<<1, 64>>>(x, y, n); }

// Half of the warp works, half waits for it at the barrier.
__global__ void one_half(float* x, int rounds) {
    if (threadIdx.x < 16) {
        for (int i = 0; i < rounds; ++i) x[i % 2 * 32 + threadIdx.x] += 1;
    }
    __syncthreads();
    x[32 + threadIdx.x] = x[threadIdx.x % 16];
}
extern "C" void one_half_works(float* x, int n) { one_half<<<1, 32>>>(x, n); }

// Tiles of 16 lanes, of which only the first meets in between.
__global__ void meet_in_part(float* x) {
    int lane = threadIdx.x;
    x[lane] += 1;
    if (lane < 16) __syncwarp(0xffff);
    x[lane] += 1;
}
extern "C" void partly(float* x) { meet_in_part<<<1, 32>>>(x); }

__device__ float total;
__constant__ float factor = 2;

__global__ void variables(const float* x) {
    float own[4] = {x[0], x[1], x[2], x[3]};   // a stack is not counted, nor are constants and parameters
    if (threadIdx.x < 4) atomicAdd(&total, factor * own[threadIdx.x]);
}
extern "C" void into_variable(float* x) { variables<<<1, 32>>>(x); }

__global__ void through_shared(const float* x, float* y) {
    extern __shared__ float tile[];
    int i = threadIdx.x;
    tile[i] = x[i];
    __syncthreads();
    y[i] = tile[blockDim.x - 1 - i];
}
extern "C" void reversed(float* x, float* y, int n) { through_shared<<<1, n, n * sizeof(float)>>>(x, y); }

// ---- other ways to memory -------------------------------------------------------------------------------------------------

__global__ void copied_in_the_background(const float4* x, float4* y) {
    __shared__ float4 tile[32];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" void background(float4* x, float4* y) { copied_in_the_background<<<1, 32>>>(x, y); }

__global__ void all_blocks(float* x, float* y) {
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
    cooperative_groups::this_grid().sync();
    y[blockIdx.x * blockDim.x + threadIdx.x] = x[(blockIdx.x + 1) % gridDim.x * blockDim.x];
}
extern "C" void grid(float* x, float* y) {
    void* arguments[] = {&x, &y};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(all_blocks), dim3(4), dim3(64), arguments, 0, nullptr);
}

// Wrong on purpose: an element too far, and 16 bytes from an address that is a multiple of 4 only.
__global__ void too_far(float* x, int n) { x[threadIdx.x] = x[n]; }
__global__ void uneven(const float* x, float4* y) { *y = *reinterpret_cast<const float4*>(x + 1); }
extern "C" void overrun(float* x, int n) { too_far<<<1, 32>>>(x, n); }
extern "C" void misaligned(float* x, float4* y) { uneven<<<1, 1>>>(x, y); }
