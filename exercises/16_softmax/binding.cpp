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
void launch_softmax(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream);
template <typename T>
void launch_softmax_backward(const T* grad_y, const T* y, T* grad_x, int64_t rows, int64_t columns,
                             cudaStream_t stream);

namespace {

int64_t rows_of(const at::Tensor& x) { return x.size(-1) == 0 ? 0 : x.numel() / x.size(-1); }

at::Tensor softmax(const at::Tensor& x) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.dim() >= 1, "x must have at least 1 dimension");
    TORCH_CHECK(at::isFloatingType(x.scalar_type()), "x must be of a floating dtype, but is ",
                x.scalar_type());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense = x.contiguous();
    at::Tensor out = at::empty_like(dense);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "softmax", [&] {
        launch_softmax<scalar_t>(dense.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(),
                                 rows_of(x), x.size(-1), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// The gradient of x, from the gradient of y = softmax(x) and from y.
at::Tensor softmax_backward(const at::Tensor& grad_y, const at::Tensor& y) {
    TORCH_CHECK(grad_y.sizes() == y.sizes(), "grad_y must have the shape of y, ", y.sizes(),
                ", but has ", grad_y.sizes());
    TORCH_CHECK(grad_y.device() == y.device(), "grad_y must be on ", y.device(),
                " like y, but is on ", grad_y.device());
    const c10::cuda::CUDAGuard guard(y.device());
    const at::Tensor dense_grad = grad_y.contiguous();  // after sum() it has stride 0
    const at::Tensor dense_y = y.contiguous();
    at::Tensor grad_x = at::empty_like(dense_y);
    AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "softmax_backward", [&] {
        launch_softmax_backward<scalar_t>(dense_grad.const_data_ptr<scalar_t>(),
                                          dense_y.const_data_ptr<scalar_t>(),
                                          grad_x.mutable_data_ptr<scalar_t>(), rows_of(y), y.size(-1),
                                          c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(row_softmax, m) {
    m.def("softmax(Tensor x) -> Tensor");
    m.def("softmax_backward(Tensor grad_y, Tensor y) -> Tensor");
}

TORCH_LIBRARY_IMPL(row_softmax, CUDA, m) {
    m.impl("softmax", &softmax);
    m.impl("softmax_backward", &softmax_backward);
}
