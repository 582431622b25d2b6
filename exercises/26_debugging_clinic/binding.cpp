// Between PyTorch and the launchers: checks, allocation, device, stream, launch check. An empty tensor
// needs no launch.
#include "kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

namespace {

void check(const at::Tensor& x, const char* name, at::ScalarType type) {
    TORCH_CHECK(x.is_cuda(), name, " must be a CUDA tensor, but is on ", x.device());
    TORCH_CHECK(x.scalar_type() == type, name, " must be ", type, ", but is ", x.scalar_type());
}

// For kernels that count elements from a pointer.
void check_dense(const at::Tensor& x, const char* name, at::ScalarType type) {
    check(x, name, type);
    TORCH_CHECK(x.is_contiguous(), name, " must be contiguous, but has strides ", x.strides());
}

void check_matrix(const at::Tensor& x, at::ScalarType type) {
    check(x, "x", type);
    TORCH_CHECK(x.dim() == 2, "x must have 2 dimensions, but has ", x.dim());
}

at::Tensor count_above(const at::Tensor& x, double level) {
    check_dense(x, "x", at::kFloat);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor count = at::zeros({}, x.options().dtype(at::kInt));
    if (x.numel() == 0) return count;
    launch_count_above(x.const_data_ptr<float>(), x.numel(), static_cast<float>(level),
                       count.mutable_data_ptr<int32_t>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return count;
}

at::Tensor polynomial(const at::Tensor& x, at::ArrayRef<double> coefficients) {
    check_dense(x, "x", at::kFloat);
    TORCH_CHECK(coefficients.size() <= kMostCoefficients, "coefficients: at most ",
                kMostCoefficients, " numbers, but there are ", coefficients.size());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    if (x.numel() == 0) return out;
    Coefficients given{};
    for (const double each : coefficients) given.value[given.count++] = static_cast<float>(each);
    launch_polynomial(x.const_data_ptr<float>(), x.numel(), given, out.mutable_data_ptr<float>(),
                      c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor clip(const at::Tensor& x, const at::Tensor& limit) {
    check_dense(x, "x", at::kFloat);
    check(limit, "limit", at::kFloat);
    TORCH_CHECK(limit.numel() == 1, "limit must be one number, but has shape ", limit.sizes());
    TORCH_CHECK(limit.device() == x.device(), "limit must be on ", x.device(), ", but is on ",
                limit.device());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    if (x.numel() == 0) return out;
    launch_clip(x.const_data_ptr<float>(), x.numel(), limit.const_data_ptr<float>(),
                out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor row_sums(const at::Tensor& x) {
    check_matrix(x, at::kFloat);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty({x.size(0)}, x.options());
    if (x.size(0) == 0) return out;
    // TODO(row_sums): repair: wrong for x.t(), about 1 line.
    const int64_t row_stride = x.size(1), column_stride = 1;
    launch_row_sums(x.const_data_ptr<float>(), x.size(0), x.size(1), row_stride, column_stride,
                    out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor negative(const at::Tensor& x) {
    check_matrix(x, at::kByte);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty(x.sizes(), x.options());
    if (x.numel() == 0) return out;
    launch_negative(x.const_data_ptr<uint8_t>(), x.size(0), x.size(1), x.stride(0), x.stride(1),
                    out.mutable_data_ptr<uint8_t>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// One number for every block of x.
at::Tensor for_each_block(const at::Tensor& x) {
    check_dense(x, "x", at::kFloat);
    return at::empty({(x.numel() + kThreads - 1) / kThreads}, x.options());
}

at::Tensor block_sums(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = for_each_block(x);
    if (x.numel() == 0) return out;
    launch_block_sums(x.const_data_ptr<float>(), x.numel(), out.mutable_data_ptr<float>(),
                      c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor block_maxima(const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = for_each_block(x);
    if (x.numel() == 0) return out;
    launch_block_maxima(x.const_data_ptr<float>(), x.numel(), out.mutable_data_ptr<float>(),
                        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor byte_counts(const at::Tensor& x) {
    check_dense(x, "x", at::kByte);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor counts = at::zeros({256}, x.options().dtype(at::kInt));
    if (x.numel() == 0) return counts;
    launch_byte_counts(x.const_data_ptr<uint8_t>(), x.numel(), counts.mutable_data_ptr<int32_t>(),
                     c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return counts;
}

at::Tensor scale_rows(const at::Tensor& x, const at::Tensor& factors) {
    check_dense(x, "x", at::kFloat);
    check_dense(factors, "factors", at::kFloat);
    TORCH_CHECK(x.dim() == 2, "x must have 2 dimensions, but has ", x.dim());
    TORCH_CHECK(factors.dim() == 1 && factors.size(0) == x.size(0),
                "factors must have the shape [", x.size(0), "], but has ", factors.sizes());
    TORCH_CHECK(factors.device() == x.device(), "factors must be on ", x.device());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    if (x.numel() == 0) return out;
    launch_scale_rows(x.const_data_ptr<float>(), factors.const_data_ptr<float>(), x.size(0),
                      x.size(1), out.mutable_data_ptr<float>(),
                      c10::cuda::getCurrentCUDAStream());
    // TODO(row_check): the other half of the repair in kernel.cu: find out why no call reported an
    //   error, about 1 line.
    cudaGetLastError();  // so that no later call reports an error of this one
    return out;
}

at::Tensor normalise(const at::Tensor& x) {
    check_dense(x, "x", at::kFloat);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    if (x.numel() == 0) return out;
    at::Tensor peak_bits = at::zeros({1}, x.options().dtype(at::kInt));
    launch_normalise(x.const_data_ptr<float>(), x.numel(), peak_bits.mutable_data_ptr<int32_t>(),
                     out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor smooth(const at::Tensor& x) {
    check_dense(x, "x", at::kFloat);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    if (x.numel() == 0) return out;
    at::Tensor scratch = at::empty_like(x);
    launch_smooth(x.const_data_ptr<float>(), x.numel(), scratch.mutable_data_ptr<float>(),
                  out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// Writes sigmoid(x) into `gate`, which backward needs.
at::Tensor silu(const at::Tensor& x, const at::Tensor& gate) {
    check_dense(x, "x", x.scalar_type());
    check_dense(gate, "gate", x.scalar_type());
    TORCH_CHECK(gate.sizes() == x.sizes(), "gate must have the shape ", x.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    if (x.numel() == 0) return out;
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "silu", [&] {
        launch_silu(x.const_data_ptr<scalar_t>(), x.numel(), gate.mutable_data_ptr<scalar_t>(),
                    out.mutable_data_ptr<scalar_t>(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

// Autograd decides the strides of grad_out; a dense one is not copied.
at::Tensor silu_backward(const at::Tensor& grad_out, const at::Tensor& x, const at::Tensor& gate) {
    check_dense(x, "x", x.scalar_type());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor grad_x = at::empty_like(x);
    if (x.numel() == 0) return grad_x;
    const at::Tensor grad = grad_out.contiguous();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "silu_backward", [&] {
        launch_silu_backward(grad.const_data_ptr<scalar_t>(), x.const_data_ptr<scalar_t>(),
                             gate.const_data_ptr<scalar_t>(), x.numel(),
                             grad_x.mutable_data_ptr<scalar_t>(),
                             c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(clinic, m) {
    m.def("count_above(Tensor x, float level) -> Tensor");
    m.def("polynomial(Tensor x, float[] coefficients) -> Tensor");
    m.def("clip(Tensor x, Tensor limit) -> Tensor");
    m.def("row_sums(Tensor x) -> Tensor");
    m.def("negative(Tensor x) -> Tensor");
    m.def("block_sums(Tensor x) -> Tensor");
    m.def("block_maxima(Tensor x) -> Tensor");
    m.def("byte_counts(Tensor x) -> Tensor");
    m.def("scale_rows(Tensor x, Tensor factors) -> Tensor");
    m.def("normalise(Tensor x) -> Tensor");
    m.def("smooth(Tensor x) -> Tensor");
    m.def("silu(Tensor x, Tensor(a!) gate) -> Tensor");
    m.def("silu_backward(Tensor grad_out, Tensor x, Tensor gate) -> Tensor");
}

TORCH_LIBRARY_IMPL(clinic, CUDA, m) {
    m.impl("count_above", &count_above);
    m.impl("polynomial", &polynomial);
    m.impl("clip", &clip);
    m.impl("row_sums", &row_sums);
    m.impl("negative", &negative);
    m.impl("block_sums", &block_sums);
    m.impl("block_maxima", &block_maxima);
    m.impl("byte_counts", &byte_counts);
    m.impl("scale_rows", &scale_rows);
    m.impl("normalise", &normalise);
    m.impl("smooth", &smooth);
    m.impl("silu", &silu);
    m.impl("silu_backward", &silu_backward);
}
