// torch::autograd::Function in C++, registered for the Autograd key.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

at::Tensor scale_forward(const at::Tensor& x, double by) {
    TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
    (void)by;
    return at::empty_like(x);
}

struct Scale : torch::autograd::Function<Scale> {
    static torch::autograd::Variable forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x,
                                             double by) {
        at::AutoDispatchBelowADInplaceOrView below;
        ctx->save_for_backward({x});
        ctx->saved_data["by"] = by;
        return scale_forward(x, by);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto saved = ctx->get_saved_variables();
        if (!ctx->needs_input_grad(0)) return {at::Tensor(), at::Tensor()};
        return {scale_forward(grads.at(0).contiguous(), ctx->saved_data["by"].toDouble()), at::Tensor()};
    }
};

at::Tensor scale(const at::Tensor& x, double by) { return Scale::apply(x, by); }

}  // namespace

TORCH_LIBRARY(mine, m) { m.def("scale(Tensor x, float by) -> Tensor"); }
TORCH_LIBRARY_IMPL(mine, CUDA, m) { m.impl("scale", &scale_forward); }
TORCH_LIBRARY_IMPL(mine, AutogradCUDA, m) { m.impl("scale", &scale); }
