// Reads from an operator's schema what the fallback must know, once per operator.
#include "operator_facts.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace cusimt::device {
namespace {

const std::unordered_set<std::string> kStructural{
    "aten::resize_", "aten::resize_as_", "aten::set_", "aten::_resize_output_", "aten::record_stream",
};

const std::unordered_set<std::string> kHostTensorsWelcome{
    "aten::index",
    "aten::index_put",
    "aten::index_put_",
    "aten::_index_put_impl",
    "aten::_index_put_impl_",
    "aten::_unsafe_index",
    "aten::_unsafe_index_put",
    "aten::_unsafe_masked_index",
    "aten::bernoulli_",
    "aten::_pack_padded_sequence",
    "aten::_pad_packed_sequence",
    "aten::_ctc_loss",
    "aten::_ctc_loss_backward",
};

// What a CUDA build of PyTorch has no kernel for, of the operators that a program may call on a device.
const std::unordered_set<std::string> kCpuOnly{
    "aten::histogram",
    "aten::_histogramdd_bin_edges",
    "aten::_histogramdd_from_bin_cts",
    "aten::_histogramdd_from_bin_tensors",
    "aten::_upsample_lanczos2d_aa",
    "aten::_upsample_lanczos2d_aa_backward",
    "aten::_add_relu",
    "aten::_add_relu_",
    "aten::_spdiags",
};

bool returns_a_view(const c10::FunctionSchema& schema) {
    return std::any_of(schema.returns().begin(), schema.returns().end(), [](const c10::Argument& result) {
        return result.alias_info() != nullptr && !result.alias_info()->isWrite();
    });
}

bool has_generator(const c10::FunctionSchema& schema) {
    return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                       [](const c10::Argument& argument) { return argument.name() == "generator"; });
}

OperatorFacts read_facts(const c10::OperatorHandle& op) {
    const auto& schema = op.schema();
    OperatorFacts facts;
    facts.name = schema.name();
    const bool own = facts.name.rfind("aten::", 0) == 0 || facts.name.rfind("prims::", 0) == 0;
    facts.runs_here = own && kCpuOnly.count(facts.name) == 0 && op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
    facts.structural = returns_a_view(schema) || kStructural.count(facts.name) > 0;
    facts.writes_memset = facts.name == "aten::fill_" || facts.name == "aten::zero_";
    facts.pointwise = op.hasTag(at::Tag::pointwise);
    facts.takes_host_tensors = kHostTensorsWelcome.count(facts.name) > 0;
    facts.draws_default = op.hasTag(at::Tag::nondeterministic_seeded) && !has_generator(schema);
    facts.dtypes = dtype_rules_of(facts.name);
    return facts;
}

}  // namespace

const OperatorFacts& facts_of(const c10::OperatorHandle& op) {
    static std::mutex mutex;
    static auto* known = new std::unordered_map<const c10::FunctionSchema*, OperatorFacts>;
    std::lock_guard<std::mutex> lock(mutex);
    auto [entry, is_new] = known->try_emplace(&op.schema());
    if (is_new) {
        entry->second = read_facts(op);
    }
    return entry->second;  // entries are never removed, and a map's elements stay where they are
}

}  // namespace cusimt::device
