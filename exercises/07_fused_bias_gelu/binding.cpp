// Between PyTorch and the launchers: checks, dense operands, allocation, dtype dispatch, stream,
// launch check.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_bias_gelu(const T* x, const T* bias, T* out, int64_t n, int64_t columns,
                      cudaStream_t stream);
template <typename T>
void launch_bias_gelu_backward(const T* grad_out, const T* x, const T* bias, T* grad_x, int64_t n,
                               int64_t columns, cudaStream_t stream);

namespace {

void check_arguments(const at::Tensor& x, const at::Tensor& bias) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(bias.device() == x.device(), "bias must be on ", x.device(), " like x, but is on ",
                bias.device());
    TORCH_CHECK(bias.scalar_type() == x.scalar_type(), "bias must be ", x.scalar_type(),
                " like x, but is ", bias.scalar_type());
    TORCH_CHECK(x.dim() >= 1, "x must have at least 1 dimension");
    TORCH_CHECK(bias.dim() == 1 && bias.size(0) == x.size(-1), "bias must have shape [", x.size(-1),
                "], one value for each column of x, but has shape ", bias.sizes());
}

at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
    check_arguments(x, bias);
    const c10::cuda::CUDAGuard guard(x.device());
    // TODO(dense): dense_x, dense_bias, and a row-major out, about 3 lines.
    const at::Tensor dense_x, dense_bias;
    at::Tensor out;
    // TODO(forward_launch): dispatch over the floating types to launch_bias_gelu on the current stream,
    //   check the launch, about 7 lines.
    return out;
}

// The gradient of x; that of bias is its sum over the rows.
at::Tensor bias_gelu_backward(const at::Tensor& grad_out, const at::Tensor& x,
                              const at::Tensor& bias) {
    check_arguments(x, bias);
    TORCH_CHECK(grad_out.sizes() == x.sizes(), "grad_out must have the shape of x, ", x.sizes(),
                ", but has ", grad_out.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    // TODO(backward_dense): dense_grad, dense_x, dense_bias, and a row-major grad_x, about 4 lines.
    const at::Tensor dense_grad, dense_x, dense_bias;
    at::Tensor grad_x;
    // TODO(backward_launch): the same dispatch for launch_bias_gelu_backward, about 7 lines.
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(fused_bias_gelu, m) {
    m.def("bias_gelu(Tensor x, Tensor bias) -> Tensor");
    m.def("bias_gelu_backward(Tensor grad_out, Tensor x, Tensor bias) -> Tensor");
}

TORCH_LIBRARY_IMPL(fused_bias_gelu, CUDA, m) {
    m.impl("bias_gelu", &bias_gelu);
    m.impl("bias_gelu_backward", &bias_gelu_backward);
}
