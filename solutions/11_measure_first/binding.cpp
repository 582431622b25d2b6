// Checks, allocation, stream and launch check for the two kernels.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

void launch_bias_gelu(const float* x, const float* bias, float* out, int64_t n, int64_t columns,
                      cudaStream_t stream);
void launch_hold(int64_t cycles, cudaStream_t stream);

namespace {

at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float32, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() >= 1 && x.is_contiguous(), "x must be contiguous, of 1 dimension or more");
    TORCH_CHECK(bias.device() == x.device() && bias.scalar_type() == at::kFloat && bias.is_contiguous(),
                "bias must be contiguous float32 on ", x.device(), " like x");
    TORCH_CHECK(bias.dim() == 1 && bias.size(0) == x.size(-1), "bias must have shape [", x.size(-1),
                "], but has shape ", bias.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    launch_bias_gelu(x.const_data_ptr<float>(), bias.const_data_ptr<float>(),
                     out.mutable_data_ptr<float>(), x.numel(), bias.numel(),
                     c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// The current stream of the current device is busy for about `milliseconds`; the call only queues it. At a
// clock below its highest, the device takes longer.
void hold(double milliseconds) {
    int kilohertz = 0;  // cycles a millisecond, at the highest clock
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, c10::cuda::current_device()));
    launch_hold(static_cast<int64_t>(milliseconds * kilohertz), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

TORCH_LIBRARY(measure_first, m) {
    m.def("bias_gelu(Tensor x, Tensor bias) -> Tensor");
    m.def("hold(float milliseconds) -> ()");
}

TORCH_LIBRARY_IMPL(measure_first, CUDA, m) {
    m.impl("bias_gelu", &bias_gelu);
}

// No tensor among the arguments says which device it is for.
TORCH_LIBRARY_IMPL(measure_first, CompositeExplicitAutograd, m) {
    m.impl("hold", &hold);
}
