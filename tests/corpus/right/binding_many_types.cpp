// A schema with lists, optionals, tuples, and tensors changed in place.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDAGuard.h>
#include <optional>
#include <torch/library.h>
#include <tuple>
#include <vector>

namespace {

std::tuple<at::Tensor, at::Tensor> split(const at::Tensor& x, at::IntArrayRef sizes, bool keep,
                                         const std::optional<at::Tensor>& weight, std::optional<double> eps) {
    const at::Tensor w = weight.value_or(at::Tensor());
    const at::Tensor first = at::empty(sizes, x.options().dtype(at::kFloat).memory_format(at::MemoryFormat::Contiguous));
    const at::Tensor second = at::empty_strided(x.sizes(), x.strides(), x.options());
    TORCH_CHECK(!keep || eps.has_value(), "eps is needed");
    return {first, w.defined() ? second : first};
}

std::vector<at::Tensor> alike(at::TensorList list) {
    std::vector<at::Tensor> out;
    out.reserve(list.size());
    for (const auto& each : list) out.push_back(at::empty_like(each));
    return out;
}

at::Tensor& grow_(at::Tensor& x, const at::Scalar& by) {
    TORCH_CHECK(by.toDouble() >= 0 && x.is_non_overlapping_and_dense(), "by must not be negative");
    return x;
}

int64_t ordinal(c10::Device device, at::ScalarType type, std::string_view name) {
    return device.index() + static_cast<int64_t>(type) + static_cast<int64_t>(name.size());
}

at::Tensor views(const at::Tensor& x) {
    return x.view({-1}).select(0, 0).unsqueeze(0).expand({4}).transpose(0, 0).detach().reshape({2, 2}).narrow(0, 0, 1);
}

}  // namespace

TORCH_LIBRARY(mine, m) {
    m.def("split(Tensor x, int[] sizes, bool keep, Tensor? weight=None, float? eps=None) -> (Tensor, Tensor)");
    m.def("alike(Tensor[] list) -> Tensor[]");
    m.def("grow_(Tensor(a!) x, Scalar by) -> Tensor(a!)");
    m.def("ordinal(Device device, ScalarType type, str name) -> int", &ordinal);
    m.def("views(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(mine, CUDA, m) {
    m.impl("split", split);
    m.impl("alike", alike);
    m.impl("grow_", grow_);
    m.impl("views", views);
}
TORCH_LIBRARY_IMPL(mine, Meta, m) { m.impl("alike", alike); }
