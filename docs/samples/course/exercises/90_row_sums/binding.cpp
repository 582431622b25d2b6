// Given: checks, allocation, stream, launch check, registration.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

void launch_row_sums(const float* x, float* out, int64_t rows, int64_t columns,
                     cudaStream_t stream);

namespace {

at::Tensor row_sums(const at::Tensor& x) {
    TORCH_CHECK(x.scalar_type() == at::kFloat, "x must be float32, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() == 2, "x must have 2 dimensions, but has ", x.dim());
    TORCH_CHECK(x.is_contiguous(), "x must be contiguous, but has strides ", x.strides());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty({x.size(0)}, x.options());
    launch_row_sums(x.const_data_ptr<float>(), out.mutable_data_ptr<float>(), x.size(0), x.size(1),
                    c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

}  // namespace

TORCH_LIBRARY(row_sums, m) {
    m.def("row_sums(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(row_sums, CUDA, m) {
    m.impl("row_sums", &row_sums);
}
