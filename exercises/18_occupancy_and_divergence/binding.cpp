// Given: between PyTorch and the launchers. Checks, dense operands, allocation, dtype dispatch, stream,
// launch check.
#include "kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

namespace {

void check_first(const at::Tensor& x) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
}

void check_like(const at::Tensor& other, const char* name, const at::Tensor& x) {
    TORCH_CHECK(other.device() == x.device(), name, " must be on ", x.device(),
                " like x, but is on ", other.device());
    TORCH_CHECK(other.scalar_type() == x.scalar_type(), name, " must be ", x.scalar_type(),
                " like x, but is ", other.scalar_type());
}

at::Tensor row_sums(const at::Tensor& x, const at::Tensor& lengths) {
    check_first(x);
    TORCH_CHECK(x.dim() == 2, "x must have 2 dimensions, but has ", x.dim());
    TORCH_CHECK(lengths.device() == x.device(), "lengths must be on ", x.device(),
                " like x, but is on ", lengths.device());
    TORCH_CHECK(lengths.scalar_type() == at::kLong, "lengths must be int64, but is ",
                lengths.scalar_type());
    TORCH_CHECK(lengths.dim() == 1 && lengths.size(0) == x.size(0),
                "lengths must have one number for each of the ", x.size(0),
                " rows of x, but its shape is ", lengths.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous(), dense_lengths = lengths.contiguous();
    at::Tensor out = at::empty({x.size(0)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_sums", [&] {
        launch_row_sums(dense_x.const_data_ptr<scalar_t>(), dense_lengths.const_data_ptr<int64_t>(),
                        out.mutable_data_ptr<scalar_t>(), x.size(0), x.size(1),
                        c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& angle, double turn) {
    check_first(x);
    check_like(angle, "angle", x);
    TORCH_CHECK(x.dim() >= 1 && x.size(-1) % 2 == 0,
                "x must have an even number of columns, but its shape is ", x.sizes());
    TORCH_CHECK(2 * angle.numel() == x.numel() && angle.dim() == x.dim() &&
                    2 * angle.size(-1) == x.size(-1),
                "angle must have one number for each pair of x, ", x.sizes(), ", but its shape is ",
                angle.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous(), dense_angle = angle.contiguous();
    at::Tensor out = at::empty_like(dense_x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rotate", [&] {
        launch_rotate(dense_x.const_data_ptr<scalar_t>(), dense_angle.const_data_ptr<scalar_t>(),
                      static_cast<scalar_t>(turn), out.mutable_data_ptr<scalar_t>(), x.numel(),
                      c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor smooth(const at::Tensor& x) {
    check_first(x);
    TORCH_CHECK(x.dim() == 1, "x must be a vector, but has ", x.dim(), " dimensions");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense = x.contiguous();
    at::Tensor out = at::empty_like(dense);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "smooth", [&] {
        launch_smooth(dense.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(), x.numel(),
                      c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor scale(const at::Tensor& x, double factor) {
    check_first(x);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense = x.contiguous();
    at::Tensor out = at::empty_like(dense);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {
        launch_scale(dense.const_data_ptr<scalar_t>(), static_cast<scalar_t>(factor),
                     out.mutable_data_ptr<scalar_t>(), x.numel(),
                     c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor polynomial(const at::Tensor& x, const at::Tensor& coefficients) {
    check_first(x);
    check_like(coefficients, "coefficients", x);
    TORCH_CHECK(coefficients.dim() == 1, "coefficients must be a vector, but has ",
                coefficients.dim(), " dimensions");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense = x.contiguous(), terms = coefficients.contiguous();
    at::Tensor out = at::empty_like(dense);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "polynomial", [&] {
        launch_polynomial(dense.const_data_ptr<scalar_t>(), terms.const_data_ptr<scalar_t>(),
                          terms.numel(), out.mutable_data_ptr<scalar_t>(), x.numel(),
                          c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

}  // namespace

TORCH_LIBRARY(idle_lanes, m) {
    m.def("row_sums(Tensor x, Tensor lengths) -> Tensor");
    m.def("rotate(Tensor x, Tensor angle, float turn) -> Tensor");
    m.def("smooth(Tensor x) -> Tensor");
    m.def("scale(Tensor x, float factor) -> Tensor");
    m.def("polynomial(Tensor x, Tensor coefficients) -> Tensor");
}

TORCH_LIBRARY_IMPL(idle_lanes, CUDA, m) {
    m.impl("row_sums", &row_sums);
    m.impl("rotate", &rotate);
    m.impl("smooth", &smooth);
    m.impl("scale", &scale);
    m.impl("polynomial", &polynomial);
}
