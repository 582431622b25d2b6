// Between PyTorch and the launchers: checks, allocation, dtype dispatch, stream, launch check,
// registration.
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
void launch_attention(const S* q, const S* k, const S* v, S* out, at::opmath_type<S>* lse,
                      Sizes sizes, Strides q_strides, Strides k_strides, Strides v_strides,
                      bool causal, cudaStream_t stream);
template <typename S, typename T>
void launch_delta(const S* grad_out, const S* out, const T* grad_lse, T* delta, Sizes sizes,
                  Strides grad_strides, cudaStream_t stream);
template <typename S, typename T>
void launch_grad_q(const Saved<S, T>& saved, S* grad_q, cudaStream_t stream);
template <typename S, typename T>
void launch_grad_kv(const Saved<S, T>& saved, S* grad_k, S* grad_v, cudaStream_t stream);

namespace {

constexpr int64_t kMostDims = 128;

void check_heads(const at::Tensor& x, const at::Tensor& q, const char* name) {
    TORCH_CHECK(x.device() == q.device(), name, " must be on ", q.device(), " like q, but is on ",
                x.device());
    TORCH_CHECK(x.scalar_type() == q.scalar_type(), name, " must be ", q.scalar_type(),
                " like q, but is ", x.scalar_type());
    TORCH_CHECK(x.dim() == 4, name,
                " must have 4 dimensions, batch x heads x rows x dims, but has ", x.dim());
    TORCH_CHECK(x.size(0) == q.size(0) && x.size(1) == q.size(1) && x.size(3) == q.size(3), name,
                " must have the shape of q, ", q.sizes(),
                ", except for the number of rows, but has ", x.sizes());
}

void check_queries(const at::Tensor& x, const at::Tensor& q, const char* name) {
    check_heads(x, q, name);
    TORCH_CHECK(x.size(2) == q.size(2), name, " must have the shape of q, ", q.sizes(),
                ", but has ", x.sizes());
}

void check_operands(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    TORCH_CHECK(q.is_cuda(), "q must be a CUDA tensor, but is on ", q.device());
    check_heads(q, q, "q");
    check_heads(k, q, "k");
    check_heads(v, q, "v");
    TORCH_CHECK(v.size(2) == k.size(2), "v must have as many rows as k, ", k.size(2), ", but has ",
                v.size(2));
    TORCH_CHECK(q.size(3) >= 1 && q.size(3) <= kMostDims, "q must have 1 to ", kMostDims,
                " elements in a row, but has ", q.size(3));
    TORCH_CHECK(q.size(0) <= 65'535 && q.size(1) <= 65'535,
                "q must have at most 65,535 batches and heads, ", "but its shape is ", q.sizes());
}

// Of one number for each query.
void check_statistic(const at::Tensor& x, const at::Tensor& q, const char* name) {
    TORCH_CHECK(x.device() == q.device(), name, " must be on ", q.device(), " like q, but is on ",
                x.device());
    TORCH_CHECK(x.sizes() == q.sizes().slice(0, 3), name, " must have a number for each query of ",
                q.sizes(), ", but has shape ", x.sizes());
    TORCH_CHECK(x.scalar_type() == at::toOpMathType(q.scalar_type()), name, " must be ",
                at::toOpMathType(q.scalar_type()), ", but is ", x.scalar_type());
}

// The kernels take rows from anywhere, but their elements have to be neighbours.
at::Tensor with_dense_rows(const at::Tensor& x) {
    return x.stride(3) == 1 ? x : x.contiguous();
}

Strides strides_of(const at::Tensor& x) {
    return {x.stride(0), x.stride(1), x.stride(2)};
}

Sizes sizes_of(const at::Tensor& q, int64_t keys) {
    return {q.size(0), q.size(1), q.size(2), keys, q.size(3)};
}

at::Tensor statistic_of(const at::Tensor& q) {
    return at::empty(q.sizes().slice(0, 3), q.options().dtype(at::toOpMathType(q.scalar_type())));
}

// softmax(q k^T / sqrt(dims)) v, and the logarithm of the sum of each row's exponentials.
std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& q, const at::Tensor& k,
                                           const at::Tensor& v, bool causal) {
    check_operands(q, k, v);
    const c10::cuda::CUDAGuard guard(q.device());
    const at::Tensor queries = with_dense_rows(q), keys = with_dense_rows(k),
                     values = with_dense_rows(v);
    at::Tensor out = at::empty(q.sizes(), q.options()), lse = statistic_of(q);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, q.scalar_type(), "forward", [&] {
        launch_attention<scalar_t>(
            queries.const_data_ptr<scalar_t>(), keys.const_data_ptr<scalar_t>(),
            values.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(),
            lse.mutable_data_ptr<at::opmath_type<scalar_t>>(), sizes_of(q, k.size(2)),
            strides_of(queries), strides_of(keys), strides_of(values), causal,
            c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {out, lse};
}

// The sum of grad_out * out over each row, less grad_lse.
at::Tensor delta(const at::Tensor& grad_out, const at::Tensor& out, const at::Tensor& grad_lse) {
    TORCH_CHECK(out.is_cuda(), "out must be a CUDA tensor, but is on ", out.device());
    check_queries(out, out, "out");
    check_queries(grad_out, out, "grad_out");
    check_statistic(grad_lse, out, "grad_lse");
    const c10::cuda::CUDAGuard guard(out.device());
    const at::Tensor gradients = with_dense_rows(grad_out), dense_out = out.contiguous();
    const at::Tensor dense_lse = grad_lse.contiguous();
    at::Tensor delta = statistic_of(out);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, out.scalar_type(), "delta", [&] {
        using T = at::opmath_type<scalar_t>;
        launch_delta<scalar_t, T>(
            gradients.const_data_ptr<scalar_t>(), dense_out.const_data_ptr<scalar_t>(),
            dense_lse.const_data_ptr<T>(), delta.mutable_data_ptr<T>(), sizes_of(out, 0),
            strides_of(gradients), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return delta;
}

// What backward reads, with dense rows. It must not outlive the tensors in it.
struct Operands {
    at::Tensor grad_out, q, k, v, lse, delta;
    bool causal;

    Operands(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
             const at::Tensor& v, const at::Tensor& lse, const at::Tensor& delta, bool causal)
        : causal(causal) {
        check_operands(q, k, v);
        check_queries(grad_out, q, "grad_out");
        check_statistic(lse, q, "lse");
        check_statistic(delta, q, "delta");
        this->grad_out = with_dense_rows(grad_out);
        this->q = with_dense_rows(q);
        this->k = with_dense_rows(k);
        this->v = with_dense_rows(v);
        this->lse = lse.contiguous();
        this->delta = delta.contiguous();
    }

    template <typename S, typename T>
    Saved<S, T> saved() const {
        return {q.const_data_ptr<S>(),   k.const_data_ptr<S>(),
                v.const_data_ptr<S>(),   grad_out.const_data_ptr<S>(),
                lse.const_data_ptr<T>(), delta.const_data_ptr<T>(),
                strides_of(q),           strides_of(k),
                strides_of(v),           strides_of(grad_out),
                sizes_of(q, k.size(2)),  causal};
    }
};

at::Tensor grad_q(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v, const at::Tensor& lse, const at::Tensor& delta,
                  bool causal) {
    const Operands operands(grad_out, q, k, v, lse, delta, causal);
    const c10::cuda::CUDAGuard guard(q.device());
    at::Tensor gradient = at::empty(q.sizes(), q.options());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, q.scalar_type(), "grad_q", [&] {
        using T = at::opmath_type<scalar_t>;
        launch_grad_q(operands.saved<scalar_t, T>(), gradient.mutable_data_ptr<scalar_t>(),
                      c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return gradient;
}

std::tuple<at::Tensor, at::Tensor> grad_kv(const at::Tensor& grad_out, const at::Tensor& q,
                                           const at::Tensor& k, const at::Tensor& v,
                                           const at::Tensor& lse, const at::Tensor& delta,
                                           bool causal) {
    const Operands operands(grad_out, q, k, v, lse, delta, causal);
    const c10::cuda::CUDAGuard guard(q.device());
    at::Tensor of_k = at::empty(k.sizes(), k.options()), of_v = at::empty(v.sizes(), v.options());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, q.scalar_type(), "grad_kv", [&] {
        using T = at::opmath_type<scalar_t>;
        launch_grad_kv(operands.saved<scalar_t, T>(), of_k.mutable_data_ptr<scalar_t>(),
                       of_v.mutable_data_ptr<scalar_t>(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {of_k, of_v};
}

}  // namespace

TORCH_LIBRARY(attention, m) {
    m.def("forward(Tensor q, Tensor k, Tensor v, bool causal=False) -> (Tensor, Tensor)");
    m.def("delta(Tensor grad_out, Tensor out, Tensor grad_lse) -> Tensor");
    m.def(
        "grad_q(Tensor grad_out, Tensor q, Tensor k, Tensor v, Tensor lse, Tensor delta, bool "
        "causal)"
        " -> Tensor");
    m.def(
        "grad_kv(Tensor grad_out, Tensor q, Tensor k, Tensor v, Tensor lse, Tensor delta, bool "
        "causal)"
        " -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(attention, CUDA, m) {
    m.impl("forward", &forward);
    m.impl("delta", &delta);
    m.impl("grad_q", &grad_q);
    m.impl("grad_kv", &grad_kv);
}
