// CUB's cooperation within a block, which is the learner's own kernel still.
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

template <int kThreads>
__global__ void sum(const float* x, float* out, int n) {
    using Reduce = cub::BlockReduce<float, kThreads>;
    __shared__ typename Reduce::TempStorage storage;
    float mine = 0.0f;
    for (int i = threadIdx.x; i < n; i += kThreads) mine += x[i];
    const float all = Reduce(storage).Sum(mine);
    if (threadIdx.x == 0) *out = all;
}

void run(const float* x, float* out, int n) { sum<128><<<1, 128>>>(x, out, n); }
