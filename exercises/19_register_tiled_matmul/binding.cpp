// Between PyTorch and the launcher: checks, allocation, dtype dispatch, stream, launch check,
// registration.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "strides.h"

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream);

namespace {

void check_matrix(const at::Tensor& x, const at::Tensor& a, const char* name) {
    TORCH_CHECK(x.device() == a.device(), name, " must be on ", a.device(), " like a, but is on ",
                x.device());
    TORCH_CHECK(x.scalar_type() == a.scalar_type(), name, " must be ", a.scalar_type(),
                " like a, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() == 2, name, " must have 2 dimensions, but has ", x.dim());
}

Strides strides_of(const at::Tensor& x) { return {x.stride(0), x.stride(1)}; }

at::Tensor matmul(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor, but is on ", a.device());
    check_matrix(a, a, "a");
    check_matrix(b, a, "b");
    TORCH_CHECK(b.size(0) == a.size(1), "b must have as many rows as a has columns, ", a.size(1),
                ", but its shape is ", b.sizes());
    const c10::cuda::CUDAGuard guard(a.device());
    const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
    at::Tensor out = at::empty({m, n}, a.options());
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "register_tiled_matmul", [&] {
        launch_matmul<scalar_t>(a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
                                out.mutable_data_ptr<scalar_t>(), m, k, n, strides_of(a),
                                strides_of(b), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

}  // namespace

TORCH_LIBRARY(register_tiled_matmul, m) {
    m.def("matmul(Tensor a, Tensor b) -> Tensor");
}

TORCH_LIBRARY_IMPL(register_tiled_matmul, CUDA, m) {
    m.impl("matmul", &matmul);
}
