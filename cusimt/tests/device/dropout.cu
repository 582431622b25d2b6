// Device code over PyTorch's own CUDA headers, as extensions write it: dropout with Philox, strided tensors, block reductions in
// the accumulation type.
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/TensorAccessor.h>
#include <ATen/cuda/CUDAConfig.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <THC/THCAtomics.cuh>
#include <THC/THCDeviceUtils.cuh>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <curand_kernel.h>
#include <torch/library.h>

#include <mutex>

namespace {

template <typename scalar_t>
__global__ void dropout_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, bool* __restrict__ mask, int64_t n,
                               float keep, at::PhiloxCudaState philox) {
    using opmath_t = at::opmath_type<scalar_t>;
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    const auto [seed, offset] = at::cuda::philox::unpack(philox);
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, offset, &state);
    const float4 drawn = curand_uniform4(&state);
    const float numbers[4] = {drawn.x, drawn.y, drawn.z, drawn.w};
    for (int k = 0; k < 4 && 4 * i + k < n; ++k) {
        const bool kept = numbers[k] < keep;
        mask[4 * i + k] = kept;
        y[4 * i + k] = static_cast<scalar_t>(kept ? static_cast<opmath_t>(x[4 * i + k]) / keep : opmath_t(0));
    }
}

std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& x, double p, std::optional<at::Generator> generator) {
    const c10::cuda::CUDAGuard guard(x.device());
    auto* state = at::get_generator_or_default<at::CUDAGeneratorImpl>(generator, at::cuda::detail::getDefaultCUDAGenerator());
    at::PhiloxCudaState philox;
    {
        const std::lock_guard<std::mutex> lock(state->mutex_);
        philox = state->philox_cuda_state(4);
    }
    auto y = at::empty_like(x), mask = at::empty_like(x, x.options().dtype(at::kBool));
    const int64_t n = x.numel();
    const unsigned blocks = (n + 4 * 64 - 1) / (4 * 64);
    AT_DISPATCH_V2(x.scalar_type(), "dropout", AT_WRAP([&] {
        dropout_kernel<scalar_t><<<blocks, 64, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), mask.mutable_data_ptr<bool>(), n, 1 - p, philox);
    }), AT_EXPAND(AT_FLOATING_TYPES), at::kHalf, at::kBFloat16);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {y, mask};
}

// Any strides, 32-bit indices where they suffice.
template <typename scalar_t, typename index_t>
__global__ void double_kernel(at::cuda::detail::TensorInfo<const scalar_t, index_t> x,
                              at::cuda::detail::TensorInfo<scalar_t, index_t> y, index_t n) {
    for (index_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const index_t from = at::cuda::detail::IndexToOffset<const scalar_t, index_t, -1>::get(i, x);
        const index_t to = at::cuda::detail::IndexToOffset<scalar_t, index_t, -1>::get(i, y);
        y.data[to] = x.data[from] * static_cast<scalar_t>(2);
    }
}

at::Tensor twice(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    auto y = at::empty_like(x, at::MemoryFormat::Contiguous);
    TORCH_CHECK(at::cuda::detail::canUse32BitIndexMath(x));
    AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "twice", [&] {
        auto from = at::cuda::detail::getTensorInfo<const scalar_t, uint32_t>(x);
        auto to = at::cuda::detail::getTensorInfo<scalar_t, uint32_t>(y);
        double_kernel<scalar_t, uint32_t><<<2, 32, 0, at::cuda::getCurrentCUDAStream()>>>(from, to, x.numel());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

// Sums of rows, through packed accessors; halves add up in float.
template <typename scalar_t>
__global__ void row_sums_kernel(const at::PackedTensorAccessor64<scalar_t, 2, at::RestrictPtrTraits> x,
                                at::PackedTensorAccessor32<scalar_t, 1, at::RestrictPtrTraits> sums) {
    using acc_t = at::acc_type<scalar_t, true>;
    __shared__ acc_t partial[32];
    acc_t sum = 0;
    for (int64_t j = threadIdx.x; j < x.size(1); j += blockDim.x) sum += static_cast<acc_t>(x[blockIdx.x][j]);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = static_cast<scalar_t>(partial[0]);
}

at::Tensor row_sums(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    auto sums = at::zeros({x.size(0)}, x.options());
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "row_sums", [&] {
        row_sums_kernel<scalar_t><<<x.size(0), 32, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.packed_accessor64<scalar_t, 2, at::RestrictPtrTraits>(), sums.packed_accessor32<scalar_t, 1, at::RestrictPtrTraits>());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return sums;
}

// Headers that only a PyTorch built for CUDA has, two of them old names of others: each warp adds up its elements.
template <typename scalar_t>
__global__ void total_kernel(const scalar_t* __restrict__ x, scalar_t* total, int64_t n) {
    __shared__ scalar_t elements[32];
    const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    elements[threadIdx.x] = i < n ? x[i] : static_cast<scalar_t>(0);
    WARP_SYNC();
    if (threadIdx.x == 0)
        for (const scalar_t element : elements) gpuAtomicAdd(total, element);
}

at::Tensor total(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    TORCH_CHECK(!AT_CUDNN_ENABLED() && !AT_ROCM_ENABLED());
    auto sum = at::zeros({1}, x.options());
    AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "total", [&] {
        total_kernel<scalar_t><<<(x.numel() + 31) / 32, 32, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.const_data_ptr<scalar_t>(), sum.mutable_data_ptr<scalar_t>(), x.numel());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return sum;
}

}  // namespace

TORCH_LIBRARY(simt_dropout_tests, m) {
    m.def("dropout(Tensor x, float p, Generator? generator=None) -> (Tensor, Tensor)", &dropout);
    m.def("twice(Tensor x) -> Tensor", &twice);
    m.def("row_sums(Tensor x) -> Tensor", &row_sums);
    m.def("total(Tensor x) -> Tensor", &total);
}
