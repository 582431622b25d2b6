#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <functional>
#include <iomanip>
#include <iterator>
#include <map>
#include <numeric>
#include <ranges>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream);

namespace {

using namespace std::string_view_literals;

struct Named {
    const at::Tensor* tensor;
    std::string_view name;
};

template <typename... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

template <typename T>
struct Tag {
    using type = T;
};
using Dtype = std::variant<Tag<float>, Tag<double>>;

const std::map<at::ScalarType, Dtype> kDtypes{{at::kFloat, Tag<float>{}}, {at::kDouble, Tag<double>{}}};

[[noreturn]] void fail(const std::string& what, std::source_location where = std::source_location::current()) {
    std::ostringstream text;
    text << what << " [" << where.function_name() << ':' << std::setw(3) << where.line() << ']';
    throw std::invalid_argument(text.str());
}

void check(std::span<const Named> operands) {
    const auto& first = *operands.front().tensor;
    const auto names = operands | std::views::transform(&Named::name);
    const std::string all = std::accumulate(names.begin(), names.end(), std::string{},
                                            [](std::string text, std::string_view name) { return text.append(name); });
    const auto away = std::ranges::find_if(operands, [](const Named& each) { return !each.tensor->is_cuda(); });
    if (away != operands.end()) {
        fail(std::string(away->name) + " of " + all + " must be a CUDA tensor, but is on " + away->tensor->device().str());
    }
    if (!kDtypes.contains(first.scalar_type())) fail("a must be float32 or float64");
    for (const auto& [tensor, name] : operands) {
        if (tensor->device() != first.device()) fail(std::string(name) + " must be on the device of a");
        if (tensor->scalar_type() != first.scalar_type()) fail(std::string(name) + " must have the dtype of a");
        if (!std::ranges::equal(tensor->sizes(), first.sizes())) fail(std::string(name) + " must have the shape of a");
        if (!tensor->is_contiguous()) fail(std::string(name) + " must be contiguous");
    }
}

at::Tensor run(std::span<const Named> operands, const auto& launch) {
    check(operands);
    const at::Tensor& first = *operands[0].tensor;
    const c10::cuda::CUDAGuard guard{first.device()};
    auto out = at::empty_like(first);
    std::visit(Overloaded{[&]<typename T>(Tag<T>) { launch.template operator()<T>(out); }},
               kDtypes.at(first.scalar_type()));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor muladd(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
    const std::array operands{Named{&a, "a"sv}, Named{&b, "b"sv}, Named{&c, "c"sv}};
    return run(operands, [&]<typename T>(at::Tensor& out) {
        launch_muladd<T>(a.const_data_ptr<T>(), b.const_data_ptr<T>(), c.const_data_ptr<T>(), out.mutable_data_ptr<T>(),
                         a.numel(), c10::cuda::getCurrentCUDAStream());
    });
}

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
    const std::vector<Named> operands{{&a, "a"}, {&b, "b"}};
    return run(operands, [&]<typename T>(at::Tensor& out) {
        launch_multiply<T>(a.const_data_ptr<T>(), b.const_data_ptr<T>(), out.mutable_data_ptr<T>(), a.numel(),
                           c10::cuda::getCurrentCUDAStream());
    });
}

}  // namespace

TORCH_LIBRARY(fused_muladd, m) {
    for (const char* schema : {"muladd(Tensor a, Tensor b, Tensor c) -> Tensor", "multiply(Tensor a, Tensor b) -> Tensor"}) {
        m.def(schema);
    }
}

TORCH_LIBRARY_IMPL(fused_muladd, CUDA, m) {
    m.impl("muladd", muladd);
    m.impl("multiply", multiply);
}
