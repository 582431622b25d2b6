// Source of the tables: the operator database in torch.testing, which lists the dtypes of both; a test compares them.
#include "dtypes.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cusimt::device {

using Dtypes = std::vector<at::ScalarType>;
using Names = std::vector<const char*>;

struct DtypeRules {
    Dtypes refused;
    std::string kernel;  // as PyTorch names it in its refusal
    Dtypes widened;
    bool powers_of_two = false;  // cuFFT's rule for half precision
};

namespace {

const Dtypes kIntegers{at::kByte, at::kChar, at::kShort, at::kInt, at::kLong};
const Dtypes kHalves{at::kHalf, at::kBFloat16};

struct Refusal {
    Names operators;
    Dtypes dtypes;
    const char* kernel;
};

// cuBLAS and cuDNN have no products of integers; the rest are types for which PyTorch does not compile its kernel.
const Refusal kRefused[]{
    {{"mm", "addmm", "addmm_", "addbmm", "addbmm_"}, kIntegers, "addmm_cuda"},
    {{"bmm", "baddbmm", "baddbmm_"}, kIntegers, "baddbmm_cuda"},
    {{"addmv", "addmv_", "mv"}, kIntegers, "addmv_impl_cuda"},
    {{"dot"}, kIntegers, "dot"},
    {{"vdot"}, kIntegers, "vdot"},
    {{"convolution"}, kIntegers, "convolution_cuda"},
    {{"avg_pool1d", "avg_pool2d"}, kIntegers, "avg_pool2d_out_cuda_frame"},
    {{"avg_pool3d"}, kIntegers, "avg_pool3d_out_cuda"},
    {{"max_pool2d_with_indices"}, kIntegers, "max_pool2d_with_indices_out_cuda_frame"},
    {{"max_pool3d_with_indices"}, kIntegers, "max_pool3d_with_indices_out_frame"},
    {{"upsample_bilinear2d"}, kIntegers, "upsample_bilinear2d_out_frame"},
    {{"upsample_bicubic2d"}, kIntegers, "upsample_bicubic2d_out_frame"},
    {{"_upsample_bilinear2d_aa"}, kIntegers, "upsample_bilinear2d_aa_out_frame"},
    {{"_upsample_bicubic2d_aa"}, kIntegers, "upsample_bicubic2d_aa_out_frame"},
    {{"igamma", "igamma_"}, kHalves, "igamma_cuda"},
    {{"igammac", "igammac_"}, kHalves, "igammac_cuda"},
    {{"angle"}, kHalves, "angle_cuda"},
    {{"histc"}, kHalves, "histc"},
    {{"native_dropout_backward"}, {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kBool}, "masked_scale"},
};

struct Widening {
    Names operators;
    Dtypes dtypes;
};

const Widening kWidened[]{
    {{"_fft_r2c", "_fft_c2r", "_fft_c2c"}, {at::kHalf, at::kComplexHalf}},
    {{"avg_pool3d", "avg_pool3d_backward"}, kHalves},
    {{"multi_margin_loss", "multi_margin_loss_backward"}, kHalves},
    {{"multilabel_margin_loss_forward", "multilabel_margin_loss_backward"}, kHalves},
    {{"rrelu_with_noise", "rrelu_with_noise_", "rrelu_with_noise_functional"}, kHalves},
    {{"_upsample_bilinear2d_aa", "_upsample_bilinear2d_aa_backward"}, kHalves},
    {{"_upsample_bicubic2d_aa", "_upsample_bicubic2d_aa_backward"}, kHalves},
    {{"histc"}, kIntegers},
    {{"abs", "abs_", "trace"}, {at::kBool}},
};

at::ScalarType wider(at::ScalarType dtype) {
    switch (dtype) {
        case at::kHalf:
        case at::kBFloat16: return at::kFloat;
        case at::kComplexHalf: return at::kComplexFloat;
        case at::kBool: return at::kByte;
        default: return at::kDouble;
    }
}

// Of a result that was computed from a widened `argument`: a transform turns real numbers into complex ones.
at::ScalarType narrower(at::ScalarType result, at::ScalarType argument) {
    if (result == wider(argument)) {
        return argument;
    }
    const bool half = argument == at::kHalf || argument == at::kComplexHalf;
    if (half && result == at::kFloat) {
        return at::kHalf;
    }
    return half && result == at::kComplexFloat ? at::kComplexHalf : result;
}

bool contains(const Dtypes& dtypes, at::ScalarType dtype) {
    return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

std::unordered_map<std::string, DtypeRules> all_rules() {
    std::unordered_map<std::string, DtypeRules> rules;
    for (const auto& refusal : kRefused) {
        for (const std::string name : refusal.operators) {
            auto& rule = rules["aten::" + name];
            rule.refused = refusal.dtypes;
            rule.kernel = refusal.kernel;
        }
    }
    for (const auto& widening : kWidened) {
        for (const std::string name : widening.operators) {
            auto& rule = rules["aten::" + name];
            rule.widened = widening.dtypes;
            rule.powers_of_two = name.rfind("_fft_", 0) == 0;
        }
    }
    return rules;
}

// Of the first tensor, by which PyTorch's kernels are chosen.
std::optional<at::ScalarType> dtype_of(at::ArrayRef<c10::IValue> arguments) {
    for (const auto& value : arguments) {
        if (value.isTensor() && value.toTensor().defined()) {
            return value.toTensor().scalar_type();
        }
    }
    return std::nullopt;
}

// The arguments are (self, dim, normalization, onesided, forward or the size of the last dimension).
void check_powers_of_two(const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> arguments) {
    const auto& self = arguments[0].toTensor();
    const auto dims = arguments[1].toDimVector();
    const bool to_real = op.schema().name() == "aten::_fft_c2r";
    std::vector<int64_t> sizes;
    for (const auto dim : dims) {
        sizes.push_back(self.size(dim));
    }
    if (to_real && !sizes.empty()) {
        sizes.back() = arguments[3].toInt();
    }
    const bool all = std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return (size & (size - 1)) == 0; });
    TORCH_CHECK(all,
                "cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a ",
                "signal size of", at::IntArrayRef(sizes));
}

struct Copy {
    at::Tensor narrow, wide;
};
using Copies = std::map<size_t, Copy>;  // by the place of the argument

// Replaces the tensors among the last `count` values that have one of `dtypes` by wider copies.
Copies widen(torch::jit::Stack& stack, size_t count, const Dtypes& dtypes) {
    Copies widened;
    for (size_t i = 0; i < count; ++i) {
        auto& value = stack[stack.size() - count + i];
        if (value.isTensor() && value.toTensor().defined() && contains(dtypes, value.toTensor().scalar_type())) {
            const auto narrow = value.toTensor();
            value = narrow.to(wider(narrow.scalar_type()));
            widened.emplace(i, Copy{narrow, value.toTensor()});
        }
    }
    return widened;
}

c10::IValue narrow_result(const c10::IValue& result, const Copies& widened, at::ScalarType dtype) {
    if (!result.isTensor() || !result.toTensor().defined()) {
        return result;
    }
    for (const auto& [place, copy] : widened) {
        if (copy.wide.is_same(result.toTensor())) {
            return copy.narrow;
        }
    }
    return result.toTensor().to(narrower(result.toTensor().scalar_type(), dtype));
}

}  // namespace

const DtypeRules* dtype_rules_of(const std::string& name) {
    static const auto* rules = new std::unordered_map<std::string, DtypeRules>(all_rules());
    const auto found = rules->find(name);
    return found == rules->end() ? nullptr : &found->second;
}

void refuse_dtype(const DtypeRules& rules, const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> arguments) {
    const auto dtype = dtype_of(arguments);
    TORCH_CHECK_NOT_IMPLEMENTED(!dtype || !contains(rules.refused, *dtype), '"', rules.kernel, "\" not implemented for '",
                                c10::toString(*dtype), "'");
    if (rules.powers_of_two && dtype && contains(rules.widened, *dtype)) {
        check_powers_of_two(op, arguments);
    }
}

void run_cpu_kernel(const DtypeRules* rules, const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto& schema = op.schema();
    const auto& parameters = schema.arguments();
    const auto dtype = rules == nullptr ? std::nullopt : dtype_of(torch::jit::last(*stack, parameters.size()));
    const bool wide = dtype && contains(rules->widened, *dtype);
    const auto widened = wide ? widen(*stack, parameters.size(), rules->widened) : Copies();
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    if (!wide) {
        return;
    }
    for (const auto& [place, copy] : widened) {
        if (parameters[place].alias_info() != nullptr && parameters[place].alias_info()->isWrite()) {
            copy.narrow.resize_(copy.wide.sizes()).copy_(copy.wide);
        }
    }
    for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
        (*stack)[i] = narrow_result((*stack)[i], widened, *dtype);
    }
}

}  // namespace cusimt::device
