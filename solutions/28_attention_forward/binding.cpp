// Between PyTorch and the launcher: checks, allocation, dtype dispatch, stream, launch check, registration.
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "attention.h"

template <typename S>
void launch_attention(const S* q, const S* k, const S* v, S* out, at::opmath_type<S>* lse, Sizes sizes,
                      Strides q_strides, Strides k_strides, Strides v_strides, bool causal,
                      cudaStream_t stream);

namespace {

constexpr int64_t kMostDims = 128;

void check_heads(const at::Tensor& x, const at::Tensor& q, const char* name) {
    TORCH_CHECK(x.device() == q.device(), name, " must be on ", q.device(), " like q, but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == q.scalar_type(), name, " must be ", q.scalar_type(), " like q, but is ",
                x.scalar_type());
    TORCH_CHECK(x.dim() == 4, name, " must have 4 dimensions, batch x heads x rows x dims, but has ", x.dim());
    TORCH_CHECK(x.size(0) == q.size(0) && x.size(1) == q.size(1) && x.size(3) == q.size(3), name,
                " must have the shape of q, ", q.sizes(), ", except for the number of rows, but has ", x.sizes());
}

// The kernel takes rows from anywhere, but their elements have to be neighbours.
at::Tensor with_dense_rows(const at::Tensor& x) { return x.stride(3) == 1 ? x : x.contiguous(); }

Strides strides_of(const at::Tensor& x) { return {x.stride(0), x.stride(1), x.stride(2)}; }

// softmax(q k^T / sqrt(dims)) v, and the logarithm of the sum of each row's exponentials.
std::tuple<at::Tensor, at::Tensor> attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                             bool causal) {
    TORCH_CHECK(q.is_cuda(), "q must be a CUDA tensor, but is on ", q.device());
    check_heads(q, q, "q");
    check_heads(k, q, "k");
    check_heads(v, q, "v");
    TORCH_CHECK(v.size(2) == k.size(2), "v must have as many rows as k, ", k.size(2), ", but has ", v.size(2));
    TORCH_CHECK(q.size(3) >= 1 && q.size(3) <= kMostDims, "q must have 1 to ", kMostDims,
                " elements in a row, but has ", q.size(3));
    TORCH_CHECK(q.size(0) <= 65'535 && q.size(1) <= 65'535, "q must have at most 65,535 batches and heads, ",
                "but its shape is ", q.sizes());
    const c10::cuda::CUDAGuard guard(q.device());
    const at::Tensor queries = with_dense_rows(q), keys = with_dense_rows(k), values = with_dense_rows(v);
    at::Tensor out = at::empty(q.sizes(), q.options());
    at::Tensor lse = at::empty(q.sizes().slice(0, 3), q.options().dtype(at::toOpMathType(q.scalar_type())));
    const Sizes sizes{q.size(0), q.size(1), q.size(2), k.size(2), q.size(3)};
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, q.scalar_type(), "attention", [&] {
        launch_attention<scalar_t>(
            queries.const_data_ptr<scalar_t>(), keys.const_data_ptr<scalar_t>(),
            values.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(),
            lse.mutable_data_ptr<at::opmath_type<scalar_t>>(), sizes, strides_of(queries), strides_of(keys),
            strides_of(values), causal, c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {out, lse};
}

}  // namespace

TORCH_LIBRARY(attention_forward, m) {
    // --8<-- [start:schema]
    m.def("attention(Tensor q, Tensor k, Tensor v, bool causal=False) -> (Tensor, Tensor)");
    // --8<-- [end:schema]
}

TORCH_LIBRARY_IMPL(attention_forward, CUDA, m) {
    m.impl("attention", &attention);
}
