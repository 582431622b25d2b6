// Between PyTorch and the launcher: checks, allocation, dtype dispatch, stream, launch check,
// registration.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/library.h>
#include <type_traits>

#include "strides.h"

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, Strides a_strides,
                   Strides b_strides, cudaStream_t stream);

namespace {

void check_matrix(const at::Tensor& matrix, const at::Tensor& x, const char* name) {
    TORCH_CHECK(matrix.device() == x.device(), name, " must be on ", x.device(), " like x, but is on ",
                matrix.device());
    TORCH_CHECK(matrix.scalar_type() == x.scalar_type(), name, " must be ", x.scalar_type(),
                " like x, but is ", matrix.scalar_type());
    TORCH_CHECK(matrix.dim() == 2, name, " must have 2 dimensions, but has ", matrix.dim());
}

// The type of CUDA that has the same bits as T.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, at::Half>, __half, __nv_bfloat16>;

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
    TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16,
                "x must be Half or BFloat16, but is ", x.scalar_type());
    check_matrix(x, x, "x");
    check_matrix(weight, x, "weight");
    TORCH_CHECK(weight.size(1) == x.size(1), "weight must have as many columns as x, ", x.size(1),
                ", but its shape is ", weight.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const int64_t m = x.size(0), k = x.size(1), n = weight.size(0);
    at::Tensor out = at::empty({m, n}, x.options());
    // The rows of weight are the columns of the second factor.
    const Strides x_strides{x.stride(0), x.stride(1)}, transposed{weight.stride(1), weight.stride(0)};
    AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "linear", [&] {
        using T = Stored<scalar_t>;
        launch_matmul<T>(reinterpret_cast<const T*>(x.const_data_ptr<scalar_t>()),
                         reinterpret_cast<const T*>(weight.const_data_ptr<scalar_t>()),
                         reinterpret_cast<T*>(out.mutable_data_ptr<scalar_t>()), m, k, n, x_strides,
                         transposed, c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

}  // namespace

TORCH_LIBRARY(tensor_cores, m) {
    m.def("linear(Tensor x, Tensor weight) -> Tensor");
}

TORCH_LIBRARY_IMPL(tensor_cores, CUDA, m) {
    m.impl("linear", &linear);
}
