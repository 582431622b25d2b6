// Headers that PyTorch extensions include in device code, all PyTorch's own: atomics, shuffles, index arithmetic.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/cuda/detail/OffsetCalculator.cuh>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <torch/library.h>

namespace {

template <typename T>
__global__ void add_all(const T* __restrict__ x, T* sum, int n) {
    CUDA_KERNEL_LOOP(i, n) {
        gpuAtomicAdd(sum, x[i]);
    }
}

__global__ void largest_of_warp(const float* __restrict__ x, float* __restrict__ result) {
    float value = x[threadIdx.x];
    for (int offset = C10_WARP_SIZE / 2; offset > 0; offset /= 2) {
        value = c10::cuda::compat::max(value, WARP_SHFL_DOWN(value, offset));
    }
    if (threadIdx.x == 0) {
        *result = value;
    }
}

at::Tensor sum(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    auto result = at::zeros({}, x.options());
    const int blocks = at::cuda::detail::GET_BLOCKS(x.numel());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "sum", [&] {
        add_all<<<blocks, at::cuda::detail::CUDA_NUM_THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.const_data_ptr<scalar_t>(), result.mutable_data_ptr<scalar_t>(), x.numel());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return result;
}

at::Tensor largest(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    auto result = at::zeros({}, x.options());
    largest_of_warp<<<1, C10_WARP_SIZE, 0, at::cuda::getCurrentCUDAStream()>>>(x.const_data_ptr<float>(),
                                                                             result.mutable_data_ptr<float>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return result;
}

}  // namespace

TORCH_LIBRARY(simt_header_tests, m) {
    m.def("sum(Tensor x) -> Tensor", &sum);
    m.def("largest(Tensor x) -> Tensor", &largest);
}
