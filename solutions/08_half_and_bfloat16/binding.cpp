// Between PyTorch and the launchers: checks, dense operands, allocation, dtype dispatch, stream,
// launch check.
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void launch_pool(const T* x, const T* weight, T* out, double scale, int64_t batch, int64_t tokens,
                 int64_t channels, cudaStream_t stream);
template <typename T>
void launch_grad_x(const T* grad_out, const T* weight, T* grad_x, double scale, int64_t batch,
                   int64_t tokens, int64_t channels, cudaStream_t stream);
template <typename T>
void launch_grad_weight(const T* grad_out, const T* x, T* grad_weight, double scale, int64_t batch,
                        int64_t tokens, int64_t channels, cudaStream_t stream);

namespace {

// Raises unless `other` goes with `first` in one kernel: one device, one dtype.
void check_like(const at::Tensor& other, const char* name, const at::Tensor& first,
                const char* first_name) {
    TORCH_CHECK(first.is_cuda(), first_name, " must be a CUDA tensor, but is on ", first.device());
    TORCH_CHECK(other.device() == first.device(), name, " must be on ", first.device(), " like ",
                first_name, ", but is on ", other.device());
    TORCH_CHECK(other.scalar_type() == first.scalar_type(), name, " must be ", first.scalar_type(),
                " like ", first_name, ", but is ", other.scalar_type());
}

at::Tensor pool(const at::Tensor& x, const at::Tensor& weight, double scale) {
    check_like(weight, "weight", x, "x");
    TORCH_CHECK(x.dim() == 3, "x must have 3 dimensions, batch, tokens and channels, but has ",
                x.dim());
    TORCH_CHECK(weight.sizes() == x.sizes().slice(1),
                "weight must have the shape [tokens, channels] of x, ", x.sizes().slice(1),
                ", but has ", weight.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous();
    const at::Tensor dense_weight = weight.contiguous();
    at::Tensor out = at::empty({x.size(0), x.size(2)}, x.options());
    // --8<-- [start:forward_launch]
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "pool", [&] {
        launch_pool<scalar_t>(dense_x.const_data_ptr<scalar_t>(),
                              dense_weight.const_data_ptr<scalar_t>(),
                              out.mutable_data_ptr<scalar_t>(), scale, x.size(0), x.size(1),
                              x.size(2), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [end:forward_launch]
    return out;
}

at::Tensor pool_grad_x(const at::Tensor& grad_out, const at::Tensor& weight, double scale) {
    check_like(weight, "weight", grad_out, "grad_out");
    const c10::cuda::CUDAGuard guard(weight.device());
    const at::Tensor dense_grad = grad_out.contiguous();
    const at::Tensor dense_weight = weight.contiguous();
    const int64_t batch = grad_out.size(0), tokens = weight.size(0), channels = weight.size(1);
    at::Tensor grad_x = at::empty({batch, tokens, channels}, weight.options());
    // --8<-- [start:grad_x_launch]
    const at::ScalarType dtype = weight.scalar_type();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dtype, "pool_grad_x", [&] {
        launch_grad_x<scalar_t>(dense_grad.const_data_ptr<scalar_t>(),
                                dense_weight.const_data_ptr<scalar_t>(),
                                grad_x.mutable_data_ptr<scalar_t>(), scale, batch, tokens, channels,
                                c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [end:grad_x_launch]
    return grad_x;
}

at::Tensor pool_grad_weight(const at::Tensor& grad_out, const at::Tensor& x, double scale) {
    check_like(x, "x", grad_out, "grad_out");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_grad = grad_out.contiguous();
    const at::Tensor dense_x = x.contiguous();
    const int64_t batch = x.size(0), tokens = x.size(1), channels = x.size(2);
    at::Tensor grad_weight = at::empty({tokens, channels}, x.options());
    // --8<-- [start:grad_weight_launch]
    const at::ScalarType dtype = x.scalar_type();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dtype, "pool_grad_weight", [&] {
        launch_grad_weight<scalar_t>(dense_grad.const_data_ptr<scalar_t>(),
                                     dense_x.const_data_ptr<scalar_t>(),
                                     grad_weight.mutable_data_ptr<scalar_t>(), scale, batch, tokens,
                                     channels, c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    // --8<-- [end:grad_weight_launch]
    return grad_weight;
}

}  // namespace

TORCH_LIBRARY(weighted_pool, m) {
    m.def("pool(Tensor x, Tensor weight, float scale) -> Tensor");
    m.def("pool_grad_x(Tensor grad_out, Tensor weight, float scale) -> Tensor");
    m.def("pool_grad_weight(Tensor grad_out, Tensor x, float scale) -> Tensor");
}

TORCH_LIBRARY_IMPL(weighted_pool, CUDA, m) {
    m.impl("pool", &pool);
    m.impl("pool_grad_x", &pool_grad_x);
    m.impl("pool_grad_weight", &pool_grad_weight);
}
