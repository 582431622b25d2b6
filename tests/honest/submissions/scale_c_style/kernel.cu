/* y = alpha * x */
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <assert.h>
#include <cuda_runtime.h>

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))
#define GLOBAL_ID() ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

typedef float real_t;
typedef struct {
    const real_t *x;
    real_t *y;
    real_t alpha;
    size_t n;
} scale_args;

static inline __host__ __device__ bool in_range(size_t i, size_t n)
{
    return i < n;
}

static __global__ void scale_kernel(scale_args args)
{
    size_t i = GLOBAL_ID();

    if (!in_range(i, args.n))
        return;
    args.y[i] = args.alpha * args.x[i];
}

void launch_scale(const float *x, float alpha, float *y, int64_t n, cudaStream_t stream)
{
    scale_args args = { x, y, alpha, (size_t)n };
    static const size_t max_grid[3] = { 0x7fffffffu, 65535u, 65535u };
    size_t blocks = 0;

    assert(n >= 0);
    if (n == 0)
        goto out;
    blocks = DIV_UP(args.n, (size_t)BLOCK_SIZE);
    if (blocks > max_grid[0])
        goto out;
    scale_kernel<<<(unsigned)blocks, BLOCK_SIZE, 0, stream>>>(args);
out:
    return;
}
