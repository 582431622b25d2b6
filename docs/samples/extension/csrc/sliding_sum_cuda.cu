// The CUDA implementation of sliding_sum::sliding_sum.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

namespace sliding_sum {

constexpr int kThreads = 256;
constexpr int64_t kMostShared = 48 * 1024;  // bytes that a kernel may use without asking

// One block computes kThreads neighbouring outputs of one row, from a tile with `radius` more inputs on either side.
template <typename scalar_t>
__global__ void sliding_sum_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t columns, int radius) {
    extern __shared__ unsigned char shared[];
    scalar_t* tile = reinterpret_cast<scalar_t*>(shared);
    const scalar_t* row = x + blockIdx.x * columns;
    const int64_t first = int64_t(blockIdx.y) * kThreads;

    for (int i = threadIdx.x; i < kThreads + 2 * radius; i += kThreads) {
        const int64_t column = first + i - radius;
        tile[i] = column >= 0 && column < columns ? row[column] : scalar_t(0);
    }
    __syncthreads();  // the neighbours' part of the tile was loaded by other threads

    const int64_t column = first + threadIdx.x;
    if (column >= columns) return;
    scalar_t sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += tile[threadIdx.x + k];
    y[blockIdx.x * columns + column] = sum;
}

at::Tensor sliding_sum_cuda(const at::Tensor& x, int64_t radius) {
    TORCH_CHECK(x.dim() >= 1, "x must have at least one dimension");
    TORCH_CHECK(radius >= 0, "radius must not be negative, but is ", radius);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor input = x.contiguous();
    at::Tensor y = at::empty_like(input);
    if (input.numel() == 0) return y;

    const int64_t columns = input.size(-1), rows = input.numel() / columns;
    const int64_t tiles = (columns + kThreads - 1) / kThreads;
    const int64_t bytes = (kThreads + 2 * radius) * input.element_size();
    TORCH_CHECK(bytes <= kMostShared, "a radius of ", radius, " does not fit into shared memory");
    TORCH_CHECK(tiles <= 65535, "x has too many columns: ", columns);
    const dim3 grid(rows, tiles);
    AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "sliding_sum_cuda", [&] {
        sliding_sum_kernel<scalar_t><<<grid, kThreads, bytes, at::cuda::getCurrentCUDAStream()>>>(
            input.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), columns, int(radius));
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

TORCH_LIBRARY_IMPL(sliding_sum, CUDA, m) { m.impl("sliding_sum", &sliding_sum_cuda); }

}  // namespace sliding_sum
