// Between PyTorch and the launchers: checks, dense operands, allocation, dtype dispatch, stream, launch
// checks.
#include <array>

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_layer_norm(const T* x, const T* weight, const T* bias, T* out, T* mean, T* rstd, int64_t rows,
                       int64_t columns, double eps, cudaStream_t stream);
template <typename T>
void launch_layer_norm_backward(const T* grad_out, const T* x, const T* weight, const T* mean,
                                const T* rstd, T* grad_x, T* weight_parts, T* bias_parts, int64_t parts,
                                int64_t rows, int64_t columns, cudaStream_t stream);
template <typename T>
void launch_column_sums(const T* x, T* sums, int64_t rows, int64_t columns, cudaStream_t stream);
int64_t parts_for(int64_t rows, int64_t columns);

namespace {

void check_parameter(const at::Tensor& parameter, const char* name, const at::Tensor& x) {
    TORCH_CHECK(parameter.device() == x.device(), name, " must be on ", x.device(),
                " like x, but is on ", parameter.device());
    TORCH_CHECK(parameter.scalar_type() == x.scalar_type(), name, " must be ", x.scalar_type(),
                " like x, but is ", parameter.scalar_type());
    TORCH_CHECK(parameter.dim() == 1 && parameter.size(0) == x.size(-1), name, " must have shape [",
                x.size(-1), "], one value for each column of x, but has shape ", parameter.sizes());
}

void check_x(const at::Tensor& x) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.dim() >= 1, "x must have at least 1 dimension");
}

int64_t rows_of(const at::Tensor& x) { return x.size(-1) == 0 ? 0 : x.numel() / x.size(-1); }

// out, and for backward the mean and rstd = 1 / sqrt(variance + eps) of each row.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(const at::Tensor& x, const at::Tensor& weight,
                                                          const at::Tensor& bias, double eps) {
    check_x(x);
    check_parameter(weight, "weight", x);
    check_parameter(bias, "bias", x);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_weight = weight.contiguous();
    const at::Tensor dense_bias = bias.contiguous();
    const int64_t rows = rows_of(x), columns = x.size(-1);
    // TODO(forward_launch): allocate out, mean and rstd; dispatch over the floating types to
    //   launch_layer_norm; check the launch, about 11 lines.
    at::Tensor out, mean, rstd;
    return {out, mean, rstd};
}

// A null pointer for a tensor that was never allocated.
template <typename T>
T* pointer(const at::Tensor& tensor) {
    return tensor.defined() ? tensor.mutable_data_ptr<T>() : nullptr;
}

// The gradients of x, weight and bias, in this order; an undefined tensor where `wanted` says no.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const at::Tensor& grad_out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& mean,
    const at::Tensor& rstd, std::array<bool, 3> wanted) {
    check_x(x);
    check_parameter(weight, "weight", x);
    TORCH_CHECK(grad_out.sizes() == x.sizes(), "grad_out must have the shape of x, ", x.sizes(),
                ", but has ", grad_out.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_grad = grad_out.contiguous();  // after sum() it has stride 0
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_weight = weight.contiguous();
    const int64_t rows = rows_of(x), columns = x.size(-1), parts = parts_for(rows, columns);
    at::Tensor grad_x, grad_weight, grad_bias, weight_parts, bias_parts;
    if (wanted[0]) grad_x = at::empty_like(dense_x);
    if (wanted[1]) {
        grad_weight = at::empty({columns}, x.options());
        weight_parts = at::empty({parts, columns}, x.options());
    }
    if (wanted[2]) {
        grad_bias = at::empty({columns}, x.options());
        bias_parts = at::empty({parts, columns}, x.options());
    }
    // TODO(backward_launch): dispatch to launch_layer_norm_backward, then add up the parts of what is
    //   wanted by launch_column_sums; check every launch, about 19 lines.
    return {grad_x, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY(layer_norm, m) {
    m.def("layer_norm(Tensor x, Tensor weight, Tensor bias, float eps) -> (Tensor, Tensor, Tensor)");
    m.def(
        "layer_norm_backward(Tensor grad_out, Tensor x, Tensor weight, Tensor mean, Tensor rstd, "
        "bool[3] wanted) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(layer_norm, CUDA, m) {
    m.impl("layer_norm", &layer_norm);
    m.impl("layer_norm_backward", &layer_norm_backward);
}
