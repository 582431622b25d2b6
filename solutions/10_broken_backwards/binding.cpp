// Between PyTorch and the launchers: checks, dense operands, allocation, dtype dispatch, stream,
// launch check. An operand may have any strides: this file makes it dense before a kernel reads it.
#include "kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

// Calls launcher<scalar_t>(operands, out, n, stream) for the dtype of `out`, on the current stream.
#define LAUNCH(launcher, out, ...)                                                            \
    AT_DISPATCH_FLOATING_TYPES((out).scalar_type(), #launcher, [&] {                          \
        launcher<scalar_t>(__VA_ARGS__, (out).mutable_data_ptr<scalar_t>(), (out).numel(),    \
                           c10::cuda::getCurrentCUDAStream());                                \
    });                                                                                       \
    C10_CUDA_KERNEL_LAUNCH_CHECK()

namespace {

void check_first(const at::Tensor& x, const char* name) {
    TORCH_CHECK(x.is_cuda(), name, " must be a CUDA tensor, but is on ", x.device());
}

void check_type(const at::Tensor& x, const char* name, const at::Tensor& first) {
    TORCH_CHECK(x.device() == first.device(), name, " must be on ", first.device(), ", but is on ",
                x.device());
    TORCH_CHECK(x.scalar_type() == first.scalar_type(), name, " must be ", first.scalar_type(),
                ", but is ", x.scalar_type());
}

void check_like(const at::Tensor& x, const char* name, const at::Tensor& first) {
    check_type(x, name, first);
    TORCH_CHECK(x.sizes() == first.sizes(), name, " must have the shape ", first.sizes(),
                ", but has ", x.sizes());
}

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
    check_first(a, "a");
    check_like(b, "b", a);
    const c10::cuda::CUDAGuard guard(a.device());
    const at::Tensor dense_a = a.contiguous(), dense_b = b.contiguous();
    at::Tensor out = at::empty_like(dense_a);
    LAUNCH(launch_multiply, out, dense_a.const_data_ptr<scalar_t>(),
           dense_b.const_data_ptr<scalar_t>());
    return out;
}

// a becomes a * b, in its own memory.
void multiply_(const at::Tensor& a, const at::Tensor& b) {
    check_first(a, "a");
    check_like(b, "b", a);
    TORCH_CHECK(a.is_contiguous(), "a must be contiguous, but has strides ", a.strides());
    const c10::cuda::CUDAGuard guard(a.device());
    const at::Tensor dense_b = b.contiguous();
    LAUNCH(launch_multiply, a, a.const_data_ptr<scalar_t>(), dense_b.const_data_ptr<scalar_t>());
}

at::Tensor muladd(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
    check_first(a, "a");
    check_like(b, "b", a);
    check_like(c, "c", a);
    const c10::cuda::CUDAGuard guard(a.device());
    const at::Tensor dense_a = a.contiguous(), dense_b = b.contiguous(), dense_c = c.contiguous();
    at::Tensor out = at::empty_like(dense_a);
    LAUNCH(launch_muladd, out, dense_a.const_data_ptr<scalar_t>(),
           dense_b.const_data_ptr<scalar_t>(), dense_c.const_data_ptr<scalar_t>());
    return out;
}

at::Tensor scale(const at::Tensor& x, double factor) {
    check_first(x, "x");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    at::Tensor out = at::empty_like(dense_x);
    LAUNCH(launch_scale, out, dense_x.const_data_ptr<scalar_t>(), static_cast<scalar_t>(factor));
    return out;
}

at::Tensor mix(const at::Tensor& x, double weight, const at::Tensor& y) {
    check_first(x, "x");
    check_like(y, "y", x);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous(), dense_y = y.contiguous();
    at::Tensor out = at::empty_like(dense_x);
    LAUNCH(launch_mix, out, dense_x.const_data_ptr<scalar_t>(), static_cast<scalar_t>(weight),
           dense_y.const_data_ptr<scalar_t>());
    return out;
}

at::Tensor sigmoid(const at::Tensor& x) {
    check_first(x, "x");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    at::Tensor out = at::empty_like(dense_x);
    LAUNCH(launch_sigmoid, out, dense_x.const_data_ptr<scalar_t>());
    return out;
}

at::Tensor sigmoid_backward(const at::Tensor& grad_out, const at::Tensor& out) {
    check_first(out, "out");
    check_like(grad_out, "grad_out", out);
    const c10::cuda::CUDAGuard guard(out.device());
    const at::Tensor dense_grad = grad_out.contiguous(), dense_out = out.contiguous();
    at::Tensor grad_x = at::empty_like(dense_out);
    LAUNCH(launch_sigmoid_backward, grad_x, dense_grad.const_data_ptr<scalar_t>(),
           dense_out.const_data_ptr<scalar_t>());
    return grad_x;
}

at::Tensor silu_backward(const at::Tensor& grad_out, const at::Tensor& x, const at::Tensor& gate) {
    check_first(x, "x");
    check_like(grad_out, "grad_out", x);
    check_like(gate, "gate", x);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_grad = grad_out.contiguous();
    const at::Tensor dense_x = x.contiguous(), dense_gate = gate.contiguous();
    at::Tensor grad_x = at::empty_like(dense_x);
    LAUNCH(launch_silu_backward, grad_x, dense_grad.const_data_ptr<scalar_t>(),
           dense_x.const_data_ptr<scalar_t>(), dense_gate.const_data_ptr<scalar_t>());
    return grad_x;
}

at::Tensor channel_scale(const at::Tensor& x, const at::Tensor& gain) {
    check_first(x, "x");
    check_type(gain, "gain", x);
    TORCH_CHECK(x.dim() == 3, "x must have 3 dimensions, but has ", x.dim());
    TORCH_CHECK(gain.dim() == 1 && gain.size(0) == x.size(1), "gain must have the shape [",
                x.size(1), "], one value for each channel of x, but has ", gain.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous(), dense_gain = gain.contiguous();
    at::Tensor out = at::empty_like(dense_x);
    LAUNCH(launch_channel_scale, out, dense_x.const_data_ptr<scalar_t>(),
           dense_gain.const_data_ptr<scalar_t>(), x.size(1), x.size(2));
    return out;
}

at::Tensor square_backward(const at::Tensor& grad_out, const at::Tensor& x) {
    check_first(x, "x");
    check_like(grad_out, "grad_out", x);
    const c10::cuda::CUDAGuard guard(x.device());
    // --8<-- [start:square]
    const at::Tensor dense_grad = grad_out.contiguous();
    // --8<-- [end:square]
    const at::Tensor dense_x = x.contiguous();
    at::Tensor grad_x = at::empty_like(dense_x);
    LAUNCH(launch_square_backward, grad_x, dense_grad.const_data_ptr<scalar_t>(),
           dense_x.const_data_ptr<scalar_t>());
    return grad_x;
}

at::Tensor scaled_tanh(const at::Tensor& x, double scale) {
    check_first(x, "x");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    at::Tensor out = at::empty_like(dense_x);
    LAUNCH(launch_scaled_tanh, out, dense_x.const_data_ptr<scalar_t>(),
           static_cast<scalar_t>(scale));
    return out;
}

at::Tensor scaled_tanh_backward(const at::Tensor& grad_out, const at::Tensor& out, double scale) {
    check_first(out, "out");
    check_like(grad_out, "grad_out", out);
    const c10::cuda::CUDAGuard guard(out.device());
    const at::Tensor dense_grad = grad_out.contiguous(), dense_out = out.contiguous();
    at::Tensor grad_x = at::empty_like(dense_out);
    LAUNCH(launch_scaled_tanh_backward, grad_x, dense_grad.const_data_ptr<scalar_t>(),
           dense_out.const_data_ptr<scalar_t>(), static_cast<scalar_t>(scale));
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(broken_backwards, m) {
    m.def("multiply(Tensor a, Tensor b) -> Tensor");
    m.def("multiply_(Tensor(a!) a, Tensor b) -> ()");
    m.def("muladd(Tensor a, Tensor b, Tensor c) -> Tensor");
    m.def("scale(Tensor x, float factor) -> Tensor");
    m.def("mix(Tensor x, float weight, Tensor y) -> Tensor");
    m.def("sigmoid(Tensor x) -> Tensor");
    m.def("sigmoid_backward(Tensor grad_out, Tensor out) -> Tensor");
    m.def("silu_backward(Tensor grad_out, Tensor x, Tensor gate) -> Tensor");
    m.def("channel_scale(Tensor x, Tensor gain) -> Tensor");
    m.def("square_backward(Tensor grad_out, Tensor x) -> Tensor");
    m.def("scaled_tanh(Tensor x, float scale) -> Tensor");
    m.def("scaled_tanh_backward(Tensor grad_out, Tensor out, float scale) -> Tensor");
}

TORCH_LIBRARY_IMPL(broken_backwards, CUDA, m) {
    m.impl("multiply", &multiply);
    m.impl("multiply_", &multiply_);
    m.impl("muladd", &muladd);
    m.impl("scale", &scale);
    m.impl("mix", &mix);
    m.impl("sigmoid", &sigmoid);
    m.impl("sigmoid_backward", &sigmoid_backward);
    m.impl("silu_backward", &silu_backward);
    m.impl("channel_scale", &channel_scale);
    m.impl("square_backward", &square_backward);
    m.impl("scaled_tanh", &scaled_tanh);
    m.impl("scaled_tanh_backward", &scaled_tanh_backward);
}
