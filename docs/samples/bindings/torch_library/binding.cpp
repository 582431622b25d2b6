// An operator of PyTorch: a schema, and what implements it on CUDA. Needs no header of Python.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream);

at::Tensor axpy(double alpha, const at::Tensor& x, const at::Tensor& y) {
    TORCH_CHECK(y.device() == x.device(), "y must be on ", x.device(), ", but is on ", y.device());
    TORCH_CHECK(y.dtype() == x.dtype(), "y must be ", x.dtype(), ", but is ", y.dtype());
    TORCH_CHECK(y.sizes() == x.sizes(), "y must have shape ", x.sizes(), ", but has ", y.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor from_x = x.contiguous(), from_y = y.contiguous();  // copies if strided
    at::Tensor out = at::empty_like(from_x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "axpy", [&] {
        launch_axpy<scalar_t>(
            alpha, from_x.const_data_ptr<scalar_t>(), from_y.const_data_ptr<scalar_t>(),
            out.mutable_data_ptr<scalar_t>(), out.numel(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

TORCH_LIBRARY(axpy_library, m) { m.def("axpy(float alpha, Tensor x, Tensor y) -> Tensor"); }

TORCH_LIBRARY_IMPL(axpy_library, CUDA, m) { m.impl("axpy", &axpy); }
