// Warp shuffles, votes, and an atomic per block.
#include <cuda_runtime.h>

constexpr unsigned kAll = 0xffffffffu;

__inline__ __device__ float warp_sum(float v) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(kAll, v, step);
    return v;
}

__global__ void total(const float* x, float* out, unsigned* above, int n) {
    __shared__ float parts[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
    const float v = i < n ? x[i] : 0.0f;
    const unsigned votes = __ballot_sync(kAll, v > 0.5f);
    if (lane == 0) atomicAdd(above, __popc(votes));
    const float partial = warp_sum(v);
    if (lane == 0) parts[threadIdx.x / warpSize] = partial;
    __syncthreads();
    if (threadIdx.x < 32) {
        const float all = warp_sum(threadIdx.x < (blockDim.x + 31) / 32 ? parts[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0) atomicAdd(out, all);
    }
}

void run(const float* x, float* out, unsigned* above, int n) { total<<<(n + 255) / 256, 256>>>(x, out, above, n); }
