// Between PyTorch and the launcher: checks, allocation, dtype dispatch, stream, launch check,
// registration.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream);

namespace {

at::Tensor transpose(const at::Tensor& x) {
    TORCH_CHECK(x.dim() == 2, "x must have 2 dimensions, but has ", x.dim());
    // A copy that makes x dense would do the work that the kernel is for.
    TORCH_CHECK(x.is_contiguous(), "x must be contiguous, but has strides ", x.strides());
    const c10::cuda::CUDAGuard guard(x.device());
    // --8<-- [start:dispatch]
    at::Tensor out = at::empty({x.size(1), x.size(0)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "transpose", [&] {
        launch_transpose<scalar_t>(x.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(),
                                   x.size(0), x.size(1), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [end:dispatch]
    return out;
}

}  // namespace

TORCH_LIBRARY(transpose, m) {
    m.def("transpose(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(transpose, CUDA, m) {
    m.impl("transpose", &transpose);
}
