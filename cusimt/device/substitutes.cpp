// Operators for which a CUDA build has implementations of its own: composed of others here.
#include "substitutes.h"

#include "fallback.h"

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <array>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace cusimt::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

// scaled_dot_product_attention: always by matrix products and softmax, never a fused kernel of CUDA's.
int64_t choose_math(const Tensor& /*query*/, const Tensor& /*key*/, const Tensor& /*value*/, const OptionalTensor& /*mask*/,
                    double /*dropout*/, bool /*causal*/, std::optional<double> /*scale*/, bool /*enable_gqa*/) {
    return 0;  // sdp::SDPBackend::math
}

// ctc_loss: PyTorch's own implementation, which has a CPU kernel, never a vendor library's.
bool no_vendor_ctc(const Tensor& /*log_probs*/, const Tensor& /*targets*/, at::IntArrayRef /*input_lengths*/,
                   at::IntArrayRef /*target_lengths*/, int64_t /*blank*/) {
    return false;
}

bool no_vendor_ctc_tensor(const Tensor& /*log_probs*/, const Tensor& /*targets*/, const Tensor& /*input_lengths*/,
                          const Tensor& /*target_lengths*/, int64_t /*blank*/) {
    return false;
}

Tensor run_cpu_operator(const char* name, torch::jit::Stack stack) {
    run_on_host(c10::Dispatcher::singleton().findSchemaOrThrow(name, ""), &stack);
    return torch::jit::pop(stack).toTensor();
}

// softmax of half precision with a float result, which autocast asks of CUDA: the CPU kernels do not change the dtype.
Tensor softmax(const Tensor& self, int64_t dim, bool half_to_float) {
    return run_cpu_operator("aten::_softmax", {half_to_float ? self.to(at::kFloat) : self, dim, false});
}

Tensor log_softmax(const Tensor& self, int64_t dim, bool half_to_float) {
    return run_cpu_operator("aten::_log_softmax", {half_to_float ? self.to(at::kFloat) : self, dim, false});
}

Tensor softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, at::ScalarType input_dtype) {
    return run_cpu_operator("aten::_softmax_backward_data", {grad, output, dim, grad.scalar_type()}).to(input_dtype);
}

Tensor log_softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, at::ScalarType input_dtype) {
    return run_cpu_operator("aten::_log_softmax_backward_data", {grad, output, dim, grad.scalar_type()}).to(input_dtype);
}

// nansum: the CPU's kernel refuses complex numbers.
Tensor nansum(const Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, std::optional<at::ScalarType> dtype) {
    if (self.is_complex()) {
        return at::where(self.isnan(), at::zeros({}, self.options()), self).sum(dim, keepdim, dtype);
    }
    return run_cpu_operator("aten::nansum", {self, dim, keepdim, dtype});
}

Tensor plus(const Tensor& gates, const OptionalTensor& bias) { return bias && bias->defined() ? gates + *bias : gates; }

// Gates in PyTorch's order: input, forget, cell, output, each of width H; the workspace keeps them activated, (N, 4H).
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
                                             const OptionalTensor& input_bias, const OptionalTensor& hidden_bias) {
    const auto gates = (plus(input_gates, input_bias) + plus(hidden_gates, hidden_bias)).chunk(4, 1);
    const auto input = gates[0].sigmoid(), forget = gates[1].sigmoid();
    const auto cell = gates[2].tanh(), output = gates[3].sigmoid();
    const auto cy = forget * cx + input * cell;
    return {output * cy.tanh(), cy, at::cat({input, forget, cell, output}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const OptionalTensor& grad_hy, const OptionalTensor& grad_cy,
                                                      const Tensor& cx, const Tensor& cy, const Tensor& workspace,
                                                      bool has_bias) {
    const auto gates = workspace.chunk(4, 1);
    const auto &input = gates[0], &forget = gates[1], &cell = gates[2], &output = gates[3];
    const auto tanh_cy = cy.tanh();
    const auto dh = grad_hy && grad_hy->defined() ? *grad_hy : at::zeros_like(cy);
    auto dc = dh * output * (1 - tanh_cy * tanh_cy);
    if (grad_cy && grad_cy->defined()) {
        dc = dc + *grad_cy;
    }
    const auto d_gates = at::cat({dc * cell * input * (1 - input), dc * cx * forget * (1 - forget),
                                  dc * input * (1 - cell * cell), dh * tanh_cy * output * (1 - output)},
                                 1);
    return {d_gates, dc * forget, has_bias ? d_gates.sum(0) : Tensor()};
}

// Gates in PyTorch's order: reset, update, new. The workspace keeps what the backward needs, (N, 5H).
std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
                                    const OptionalTensor& input_bias, const OptionalTensor& hidden_bias) {
    const auto from_input = plus(input_gates, input_bias).chunk(3, 1);
    const auto from_hidden = plus(hidden_gates, hidden_bias).chunk(3, 1);
    const auto reset = (from_input[0] + from_hidden[0]).sigmoid();
    const auto update = (from_input[1] + from_hidden[1]).sigmoid();
    const auto fresh = (from_input[2] + reset * from_hidden[2]).tanh();
    return {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, from_hidden[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad_hy, const Tensor& workspace,
                                                                     bool has_bias) {
    const auto saved = workspace.chunk(5, 1);
    const auto &reset = saved[0], &update = saved[1], &fresh = saved[2], &hx = saved[3], &hidden_new = saved[4];
    const auto d_update = grad_hy * (hx - fresh) * update * (1 - update);
    const auto d_new = grad_hy * (1 - update) * (1 - fresh * fresh);
    const auto d_reset = d_new * hidden_new * reset * (1 - reset);
    const auto d_input = at::cat({d_reset, d_update, d_new}, 1);
    const auto d_hidden = at::cat({d_reset, d_update, d_new * reset}, 1);
    return {d_input, d_hidden, grad_hy * update, has_bias ? d_input.sum(0) : Tensor(), has_bias ? d_hidden.sum(0) : Tensor()};
}

// y = x * r * weight with r = 1 / rms(x) over the last dimensions; computed in float for half precision, as on a GPU.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad_out, const Tensor& input, at::IntArrayRef normalized,
                                             const Tensor& rstd, const OptionalTensor& weight,
                                             std::array<bool, 2> output_mask) {
    const auto wide = at::toOpMathType(input.scalar_type());
    const auto x = input.to(wide), r = rstd.to(wide);
    const auto x_hat = x * r;
    const auto dy = grad_out.to(wide);
    Tensor d_input, d_weight;
    if (output_mask[0]) {
        std::vector<int64_t> inner(normalized.size());
        std::iota(inner.begin(), inner.end(), input.dim() - static_cast<int64_t>(normalized.size()));
        const auto d_hat = weight && weight->defined() ? dy * weight->to(wide) : dy;
        d_input = (r * (d_hat - x_hat * (d_hat * x_hat).mean(inner, /*keepdim=*/true))).to(input.scalar_type());
    }
    if (output_mask[1] && weight && weight->defined()) {
        d_weight = (dy * x_hat).sum_to_size(normalized).to(weight->scalar_type());
    }
    return {d_input, d_weight};
}

}  // namespace

void register_substitutes(torch::Library& aten) {
    at::native::_fused_sdp_choice_stub.set_cuda_dispatch_ptr(&choose_math);
    aten.impl("_fused_sdp_choice", &choose_math);
    for (const std::string library : {"_use_cudnn_ctc_loss", "_use_miopen_ctc_loss"}) {
        aten.impl(library.c_str(), &no_vendor_ctc);
        aten.impl((library + ".Tensor").c_str(), &no_vendor_ctc_tensor);
    }
    aten.impl("_softmax", &softmax);
    aten.impl("_log_softmax", &log_softmax);
    aten.impl("_softmax_backward_data", &softmax_backward);
    aten.impl("_log_softmax_backward_data", &log_softmax_backward);
    aten.impl("nansum", &nansum);
    aten.impl("_thnn_fused_lstm_cell", &lstm_cell);
    aten.impl("_thnn_fused_lstm_cell_backward_impl", &lstm_cell_backward);
    aten.impl("_thnn_fused_gru_cell", &gru_cell);
    aten.impl("_thnn_fused_gru_cell_backward", &gru_cell_backward);
    aten.impl("_fused_rms_norm_backward", &rms_norm_backward);
}

}  // namespace cusimt::device
