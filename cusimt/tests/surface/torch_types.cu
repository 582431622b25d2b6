// PyTorch's headers in a .cu file, compiled for their own sake. torch/extension.h would add those of Python.
#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/types.h>

template <typename scalar_t>
__global__ void multiply_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, scalar_t* __restrict__ out,
                                int64_t n) {
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    using accumulated = at::acc_type<scalar_t, true>;
    if (i < n) out[i] = static_cast<scalar_t>(static_cast<accumulated>(a[i]) * static_cast<accumulated>(b[i]));
}

template <typename scalar_t>
__global__ void increment_kernel(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x) {
    const int row = blockIdx.x, column = threadIdx.x;
    if (row < x.size(0) && column < x.size(1)) x[row][column] += scalar_t(1);
}

torch::Tensor multiply(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor");
    const c10::cuda::CUDAGuard guard(a.device());
    auto out = torch::empty_like(a);
    const int64_t n = a.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "multiply", [&] {
        multiply_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    AT_DISPATCH_ALL_TYPES(out.scalar_type(), "increment", ([&] {
        increment_kernel<scalar_t><<<out.size(0), out.size(1)>>>(
            out.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
