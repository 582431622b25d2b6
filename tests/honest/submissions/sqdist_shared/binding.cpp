#include <ATen/ATen.h>
#include <ATen/DimVector.h>
#include <ATen/ExpandUtils.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

template <typename T>
void launch_sqdist(const T* x, const T* y, T* out, int64_t batch, int64_t n, int64_t m, int64_t d, cudaStream_t stream);
template <typename T>
void launch_sqdist_backward(const T* grad, const T* x, const T* y, T* grad_x, int64_t batch, int64_t n, int64_t m, int64_t d, cudaStream_t stream);

namespace pairwise {
using at::Tensor;

namespace {
void check(const Tensor& x, const Tensor& y, c10::string_view op) {
    TORCH_CHECK(x.is_cuda() && y.is_cuda(), op, ": x and y must be CUDA tensors, but are on ", x.device(), " and ", y.device());
    TORCH_CHECK(x.device() == y.device(), op, ": y must be on ", x.device());
    TORCH_CHECK(x.scalar_type() == y.scalar_type(), op, ": y must be ", x.scalar_type(), ", but is ", y.scalar_type());
    TORCH_CHECK(x.dim() >= 2, op, ": x must have at least 2 dimensions, but has shape ", x.sizes());
    TORCH_CHECK(x.dim() == y.dim() && x.size(-1) == y.size(-1) && x.sizes().slice(0, x.dim() - 2).equals(y.sizes().slice(0, y.dim() - 2)),
                op, ": y must agree with x, ", x.sizes(), ", but has shape ", y.sizes());
}
int64_t batch_of(const Tensor& x) {
    int64_t batch = 1;
    for (const int64_t size : x.sizes().slice(0, x.dim() - 2)) batch *= size;
    return batch;
}
}  // namespace

Tensor sqdist(const Tensor& x, const Tensor& y) {
    check(x, y, "sqdist");
    const c10::cuda::CUDAGuard guard(x.device());
    at::DimVector shape(x.sizes().begin(), x.sizes().end() - 1);
    shape.push_back(y.size(-2));
    const Tensor x_ = x.contiguous(), y_ = y.contiguous();
    Tensor out = at::empty(shape, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sqdist", [&]() {
        launch_sqdist<scalar_t>(x_.const_data_ptr<scalar_t>(), y_.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(),
                                batch_of(x), x.size(-2), y.size(-2), x.size(-1), at::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

Tensor sqdist_backward(const Tensor& grad, const Tensor& x, const Tensor& y) {
    check(x, y, __func__);
    TORCH_CHECK(grad.dim() == x.dim() && grad.size(-2) == x.size(-2) && grad.size(-1) == y.size(-2), "grad has shape ", grad.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const Tensor g = grad.contiguous(), x_ = x.contiguous(), y_ = y.contiguous();
    Tensor grad_x = at::empty_like(x_);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sqdist_backward", [&]() {
        launch_sqdist_backward<scalar_t>(g.const_data_ptr<scalar_t>(), x_.const_data_ptr<scalar_t>(), y_.const_data_ptr<scalar_t>(),
                                         grad_x.mutable_data_ptr<scalar_t>(), batch_of(x), x.size(-2), y.size(-2), x.size(-1),
                                         at::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}
}  // namespace pairwise

TORCH_LIBRARY(pairwise, m) {
    m.def("sqdist(Tensor x, Tensor y) -> Tensor", {at::Tag::pt2_compliant_tag});
    m.def("sqdist_backward(Tensor grad, Tensor x, Tensor y) -> Tensor");
    m.impl("sqdist", torch::dispatch(c10::DispatchKey::CUDA, TORCH_FN(pairwise::sqdist)));
    m.impl("sqdist_backward", torch::dispatch(c10::DeviceType::CUDA, TORCH_FN(pairwise::sqdist_backward)));
}
