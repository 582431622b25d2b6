#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, cudaStream_t stream);

TORCH_LIBRARY(naive_matmul, m) {
    m.def("matmul(Tensor a, Tensor b) -> Tensor");
}

TORCH_LIBRARY_IMPL(naive_matmul, CUDA, m) {
    m.impl("matmul", [](const at::Tensor& a, const at::Tensor& b) {
        TORCH_CHECK(a.device() == b.device(), "b must be on ", a.device(), " like a, but is on ", b.device());
        for (const auto* x : {&a, &b}) {
            TORCH_CHECK(x->is_cuda(), (x == &a ? "a" : "b"), " must be a CUDA tensor, but is on ", x->device());
            TORCH_CHECK(x->dim() == 2, (x == &a ? "a" : "b"), " must have 2 dimensions, but has ", x->dim());
            TORCH_CHECK(x->is_contiguous(), (x == &a ? "a" : "b"), " must be contiguous");
        }
        TORCH_CHECK(a.scalar_type() == b.scalar_type(), "b must be ", a.scalar_type(), " like a, but is ",
                    b.scalar_type());
        const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
        TORCH_CHECK(b.size(0) == k, "b must have ", k, " rows, but its shape is ", b.sizes());
        c10::cuda::CUDAGuard guard(a.device());
        auto out = at::empty({m, n}, a.options());
        AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "matmul", [&]() {
            launch_matmul<scalar_t>(a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
                                    out.mutable_data_ptr<scalar_t>(), m, k, n, c10::cuda::getCurrentCUDAStream());
        });
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        return out;
    });
}
