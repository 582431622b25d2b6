#include <torch/torch.h>
#include <torch/library.h>
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAUtils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/MaybeOwned.h>

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   cudaStream_t stream);

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor, but is on ", x.device())
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous, but has strides ", x.strides())
#define CHECK_INPUT(x) do { CHECK_CUDA(x); CHECK_CONTIGUOUS(x); } while (0)

torch::Tensor matmul_cuda(const torch::Tensor& a, const torch::Tensor& b) {
    CHECK_INPUT(a);
    CHECK_INPUT(b);
    TORCH_CHECK(a.dim() == 2, "a must have 2 dimensions, but has ", a.dim(), "D");
    TORCH_CHECK(b.dim() == 2, "b must have 2 dimensions, but has ", b.dim(), "D");
    TORCH_CHECK(a.size(1) == b.size(0), "b must have as many rows as a has columns: ", a.sizes(), " x ", b.sizes());
    TORCH_CHECK_TYPE(a.scalar_type() == b.scalar_type(), "b must have a dtype like a: ", c10::toString(a.scalar_type()),
                     " != ", c10::toString(b.scalar_type()));
    TORCH_CHECK(a.device() == b.device(), "b must be on ", a.device(), " but is on ", b.device());
    at::cuda::CUDAGuard guard{a.device()};
    const auto a_ = a.expect_contiguous();
    const c10::MaybeOwned<torch::Tensor> b_ = b.expect_contiguous();
    const auto m = a.size(0), k = a.size(1), n = b.size(1);
    auto out = torch::empty({m, n}, a.options().requires_grad(false));
    auto stream = at::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "matmul_cuda", ([&] {
        launch_matmul<scalar_t>(a_->const_data_ptr<scalar_t>(), b_->const_data_ptr<scalar_t>(),
                                out.data_ptr<scalar_t>(), m, k, n, stream);
    }));
    AT_CUDA_CHECK(cudaGetLastError());
    return out;
}

TORCH_LIBRARY(naive_matmul, m) {
    m.def("matmul(Tensor a, Tensor b) -> Tensor");
    m.impl("matmul", c10::DispatchKey::CUDA, &matmul_cuda);
}
