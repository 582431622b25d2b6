#define TORCH_ASSERT_ONLY_METHOD_OPERATORS
#include <ATen/core/Tensor.h>
#include <ATen/Dispatch.h>
#include <ATen/TensorUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/ScalarType.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/accumulate.h>
#include <c10/util/intrusive_ptr.h>
#include <c10/util/strides.h>
#include <torch/library.h>

template <typename T>
void launch_softmax(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream);
template <typename T>
void launch_softmax_backward(const T* grad_y, const T* y, T* grad_x, int64_t rows, int64_t columns,
                             cudaStream_t stream);

namespace row_softmax {
namespace {

struct Geometry {
    int64_t outer, inner;

    static Geometry of(const at::Tensor& t) {
        const auto dim = at::maybe_wrap_dim(-1, t.dim());
        const auto inner = t.size(dim);
        return {inner == 0 ? 0 : c10::multiply_integers(t.sizes().begin(), t.sizes().begin() + dim), inner};
    }
};

template <typename Launch>
at::Tensor allocate_and(const at::Tensor& like, Launch&& launch) {
    at::Tensor result = at::empty_like(like, at::MemoryFormat::Contiguous);
    const auto [outer, inner] = Geometry::of(like);
    const auto stream = at::cuda::getCurrentCUDAStream();
    if (result.numel() == 0) {
        return result;
    }
    AT_DISPATCH_FLOATING_TYPES(like.scalar_type(), "row_softmax", [&, outer = outer, inner = inner] {
        launch(result.mutable_data_ptr<scalar_t>(), outer, inner, stream);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return result;
}

}  // namespace

at::Tensor softmax(const at::Tensor& self) {
    TORCH_CHECK(self.is_cuda(), "softmax(): expected x on a CUDA device, got ", self.device());
    TORCH_CHECK_TYPE(at::isFloatingType(self.scalar_type()), "softmax(): x must be of a floating dtype, but is ", self.scalar_type());
    TORCH_CHECK_INDEX(self.dim() > 0, "softmax(): x must have at least 1 dimension");
    const c10::cuda::CUDAGuard guard(self.device());
    const auto x = self.contiguous();
    return allocate_and(x, [&](auto* out, int64_t outer, int64_t inner, cudaStream_t stream) {
        using scalar_t = std::remove_pointer_t<decltype(out)>;
        launch_softmax<scalar_t>(x.const_data_ptr<scalar_t>(), out, outer, inner, stream);
    });
}

at::Tensor softmax_backward(const at::Tensor& grad, const at::Tensor& output) {
    at::TensorArg grad_arg{grad, "grad_y", 1}, output_arg{output, "y", 2};
    at::checkSameSize("softmax_backward", grad_arg, output_arg);
    at::checkAllSameGPU("softmax_backward", {grad_arg, output_arg});
    const c10::cuda::CUDAGuard guard(output.device());
    const auto g = grad.contiguous(), y = output.contiguous();
    return allocate_and(y, [&](auto* out, int64_t outer, int64_t inner, cudaStream_t stream) {
        using scalar_t = std::remove_pointer_t<decltype(out)>;
        launch_softmax_backward<scalar_t>(g.const_data_ptr<scalar_t>(), y.const_data_ptr<scalar_t>(), out, outer, inner, stream);
    });
}

}  // namespace row_softmax

TORCH_LIBRARY_FRAGMENT(row_softmax, m) {
    m.def(TORCH_SELECTIVE_SCHEMA("row_softmax::softmax(Tensor x) -> Tensor"));
    m.def(TORCH_SELECTIVE_SCHEMA("row_softmax::softmax_backward(Tensor grad_y, Tensor y) -> Tensor"));
}

TORCH_LIBRARY_IMPL(row_softmax, CUDA, m) {
    m.impl(TORCH_SELECTIVE_NAME("row_softmax::softmax"), TORCH_FN(row_softmax::softmax));
    m.impl(TORCH_SELECTIVE_NAME("row_softmax::softmax_backward"), TORCH_FN(row_softmax::softmax_backward));
}
