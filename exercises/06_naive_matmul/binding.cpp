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
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   cudaStream_t stream);

namespace {

void check_matrix(const at::Tensor& x, const at::Tensor& a, const char* name) {
    TORCH_CHECK(x.device() == a.device(), name, " must be on ", a.device(), " like a, but is on ",
                x.device());
    TORCH_CHECK(x.scalar_type() == a.scalar_type(), name, " must be ", a.scalar_type(),
                " like a, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() == 2, name, " must have 2 dimensions, but has ", x.dim());
    TORCH_CHECK(x.is_contiguous(), name, " must be contiguous, but has strides ", x.strides());
}

at::Tensor matmul(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor, but is on ", a.device());
    check_matrix(a, a, "a");
    check_matrix(b, a, "b");
    // TODO(inner): refuse b, by name, unless it has as many "rows" as a has columns, about 2 lines.
    const c10::cuda::CUDAGuard guard(a.device());
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    // TODO(dispatch): allocate out, dispatch over the floating types to launch_matmul<scalar_t>, check
    //   the launch, about 7 lines.
    at::Tensor out;
    return out;
}

}  // namespace

TORCH_LIBRARY(naive_matmul, m) {
    m.def("matmul(Tensor a, Tensor b) -> Tensor");
}

TORCH_LIBRARY_IMPL(naive_matmul, CUDA, m) {
    m.impl("matmul", &matmul);
}
