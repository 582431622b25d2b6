// Between PyTorch and the launchers: checks, dense operands, allocation; and the registrations.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_sqdist(const T* x, const T* y, T* out, int64_t batch, int64_t n, int64_t m, int64_t d,
                   cudaStream_t stream);
template <typename T>
void launch_sqdist_backward(const T* grad, const T* x, const T* y, T* grad_x, int64_t batch, int64_t n,
                            int64_t m, int64_t d, cudaStream_t stream);

namespace {

void check_points(const at::Tensor& x, const at::Tensor& y) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(y.device() == x.device(), "y must be on ", x.device(), " like x, but is on ", y.device());
    TORCH_CHECK(y.scalar_type() == x.scalar_type(), "y must be ", x.scalar_type(), " like x, but is ",
                y.scalar_type());
    TORCH_CHECK(x.dim() >= 2, "x must have shape [..., n, d], but has shape ", x.sizes());
    TORCH_CHECK(y.dim() == x.dim() && y.size(-1) == x.size(-1) &&
                    y.sizes().slice(0, y.dim() - 2) == x.sizes().slice(0, x.dim() - 2),
                "y must have the shape of x, ", x.sizes(), ", except for the number of points, but has shape ",
                y.sizes());
}

int64_t batch_of(const at::Tensor& x) {
    return c10::multiply_integers(x.sizes().slice(0, x.dim() - 2));
}

// x of (..., n, d) and y of (..., m, d) give (..., n, m).
at::Tensor sqdist(const at::Tensor& x, const at::Tensor& y) {
    check_points(x, y);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_y = y.contiguous();
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = y.size(-2);
    at::Tensor out = at::empty(shape, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sqdist", [&] {
        launch_sqdist<scalar_t>(dense_x.const_data_ptr<scalar_t>(), dense_y.const_data_ptr<scalar_t>(),
                                out.mutable_data_ptr<scalar_t>(), batch_of(x), x.size(-2), y.size(-2),
                                x.size(-1), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// grad of (..., n, m) gives the gradient of x, (..., n, d). With grad transposed and x and y exchanged, it
// gives the gradient of y.
at::Tensor sqdist_backward(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& y) {
    check_points(x, y);
    TORCH_CHECK(grad.dim() == x.dim() && grad.size(-2) == x.size(-2) && grad.size(-1) == y.size(-2),
                "grad must have one row for each point of x, ", x.sizes(), ", and one column for each of y, ",
                y.sizes(), ", but has shape ", grad.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_grad = grad.contiguous();
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_y = y.contiguous();
    at::Tensor grad_x = at::empty_like(dense_x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sqdist_backward", [&] {
        launch_sqdist_backward<scalar_t>(
            dense_grad.const_data_ptr<scalar_t>(), dense_x.const_data_ptr<scalar_t>(),
            dense_y.const_data_ptr<scalar_t>(), grad_x.mutable_data_ptr<scalar_t>(), batch_of(x),
            x.size(-2), y.size(-2), x.size(-1), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(pairwise, m) {
    // TODO(schema): declare sqdist and sqdist_backward, with the argument names of the functions above,
    //   about 2 lines.
}

TORCH_LIBRARY_IMPL(pairwise, CUDA, m) {
    // TODO(cuda): register the two functions above as the CUDA kernels of these operators, about 2
    //   lines.
}
