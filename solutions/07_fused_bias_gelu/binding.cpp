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
    // --8<-- [start:dense]
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_bias = bias.contiguous();
    at::Tensor out = at::empty_like(dense_x);  // not of x: empty_like keeps strides
    // --8<-- [end:dense]
    // --8<-- [start:forward_launch]
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_gelu", [&] {
        launch_bias_gelu<scalar_t>(dense_x.const_data_ptr<scalar_t>(),
                                   dense_bias.const_data_ptr<scalar_t>(),
                                   out.mutable_data_ptr<scalar_t>(), x.numel(), bias.numel(),
                                   c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [end:forward_launch]
    return out;
}

// The gradient of x; that of bias is its sum over the rows.
at::Tensor bias_gelu_backward(const at::Tensor& grad_out, const at::Tensor& x,
                              const at::Tensor& bias) {
    check_arguments(x, bias);
    TORCH_CHECK(grad_out.sizes() == x.sizes(), "grad_out must have the shape of x, ", x.sizes(),
                ", but has ", grad_out.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    // --8<-- [start:backward_dense]
    const at::Tensor dense_grad = grad_out.contiguous();  // after sum() it has stride 0
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_bias = bias.contiguous();
    at::Tensor grad_x = at::empty_like(dense_x);
    // --8<-- [end:backward_dense]
    // --8<-- [start:backward_launch]
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_gelu_backward", [&] {
        launch_bias_gelu_backward<scalar_t>(
            dense_grad.const_data_ptr<scalar_t>(), dense_x.const_data_ptr<scalar_t>(),
            dense_bias.const_data_ptr<scalar_t>(), grad_x.mutable_data_ptr<scalar_t>(), x.numel(),
            bias.numel(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [end:backward_launch]
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
