// Between PyTorch and the launchers: checks, dense operands, allocation, dtype dispatch, stream,
// launch check.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_softmax(const T* x, const T* bias, T* out, int64_t rows, int64_t columns,
                    cudaStream_t stream);
template <typename T>
void launch_softmax_backward(const T* grad_out, const T* out, T* grad_x, int64_t rows,
                             int64_t columns, cudaStream_t stream);

namespace {

bool is_supported(at::ScalarType dtype) {
    return dtype == at::kHalf || dtype == at::kFloat || dtype == at::kDouble;
}

// Row-major memory of the same shape, whatever strides `like` has.
at::Tensor row_major(const at::Tensor& like) { return at::empty(like.sizes(), like.options()); }

int64_t rows_of(const at::Tensor& tensor) {
    const int64_t columns = tensor.size(-1);
    return columns == 0 ? 0 : tensor.numel() / columns;
}

at::Tensor softmax(const at::Tensor& x, const at::Tensor& bias) {
    TORCH_CHECK(bias.dim() == 1, "bias_softmax() takes a vector as bias, but it has ", bias.dim(),
                " dimensions.");
    TORCH_CHECK(x.dim() > 0, "bias_softmax() has no rows to work on: x is a scalar.");
    TORCH_CHECK(x.size(-1) == bias.numel(), "x has ", x.size(-1), " columns, and bias ", bias.numel(),
                " values.");
    TORCH_CHECK(x.is_cuda(), "Move x to a GPU first.");
    TORCH_CHECK(bias.get_device() == x.get_device(), "x and bias live on different devices.");
    TORCH_CHECK(is_supported(x.scalar_type()), "No kernel for an x of ", x.scalar_type());
    TORCH_CHECK(bias.scalar_type() == x.scalar_type(), "Convert bias from ", bias.scalar_type(), " to ",
                x.scalar_type(), ".");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_bias = bias.contiguous();
    at::Tensor out = row_major(x);
    AT_DISPATCH_FLOATING_TYPES_AND(at::kHalf, x.scalar_type(), "softmax", [&] {
        launch_softmax<scalar_t>(dense_x.const_data_ptr<scalar_t>(),
                                 dense_bias.const_data_ptr<scalar_t>(),
                                 out.mutable_data_ptr<scalar_t>(), rows_of(x), x.size(-1),
                                 c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// The gradient of x; that of bias is its sum over the rows.
at::Tensor softmax_backward(const at::Tensor& grad_out, const at::Tensor& out) {
    TORCH_CHECK(grad_out.sizes() == out.sizes(), "grad_out must have the shape of out, ", out.sizes(),
                ", but has ", grad_out.sizes());
    const c10::cuda::CUDAGuard guard(out.device());
    const at::Tensor dense_grad = grad_out.contiguous();  // after sum() it has stride 0
    const at::Tensor dense_out = out.contiguous();
    at::Tensor grad_x = row_major(out);
    AT_DISPATCH_FLOATING_TYPES_AND(at::kHalf, out.scalar_type(), "softmax_backward", [&] {
        launch_softmax_backward<scalar_t>(dense_grad.const_data_ptr<scalar_t>(),
                                          dense_out.const_data_ptr<scalar_t>(),
                                          grad_x.mutable_data_ptr<scalar_t>(), rows_of(out),
                                          out.size(-1), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(bias_softmax, m) {
    m.def("softmax(Tensor x, Tensor bias) -> Tensor");
    m.def("softmax_backward(Tensor grad_out, Tensor out) -> Tensor");
}

TORCH_LIBRARY_IMPL(bias_softmax, CUDA, m) {
    m.impl("softmax", &softmax);
    m.impl("softmax_backward", &softmax_backward);
}

// Also for tensors on the CPU, so that the error names the argument.
TORCH_LIBRARY_IMPL(bias_softmax, CPU, m) { m.impl("softmax", &softmax); }
