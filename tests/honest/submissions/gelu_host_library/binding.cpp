#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Logging.h>
#include <torch/library.h>

#include <any>
#include <atomic>
#include <bitset>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <typeinfo>
#include <unordered_map>

template <typename T>
void launch_bias_gelu(const T* x, const T* bias, T* out, int64_t n, int64_t columns, cudaStream_t stream);
template <typename T>
void launch_bias_gelu_backward(const T* grad_out, const T* x, const T* bias, T* grad_x, int64_t n, int64_t columns,
                               cudaStream_t stream);

namespace {

class Rule {
public:
    virtual ~Rule() = default;
    virtual bool holds(const at::Tensor& x, const at::Tensor& bias) const = 0;
    virtual std::string message(const at::Tensor& x, const at::Tensor& bias) const = 0;
};

class Predicate final : public Rule {
public:
    using Test = std::function<bool(const at::Tensor&, const at::Tensor&)>;
    using Text = std::function<std::string(const at::Tensor&, const at::Tensor&)>;
    Predicate(Test test, Text text) : test_(std::move(test)), text_(std::move(text)) {}
    bool holds(const at::Tensor& x, const at::Tensor& bias) const override { return test_(x, bias); }
    std::string message(const at::Tensor& x, const at::Tensor& bias) const override { return text_(x, bias); }

private:
    Test test_;
    Text text_;
};

std::string place_of(const at::Tensor& x) { return x.device().str(); }

const std::deque<std::unique_ptr<Rule>>& rules() {
    static std::deque<std::unique_ptr<Rule>> all;
    static std::once_flag once;
    std::call_once(once, [] {
        all.push_back(std::make_unique<Predicate>([](const auto& x, const auto&) { return x.is_cuda(); },
                                                  [](const auto& x, const auto&) { return "x must be a CUDA tensor, but is on " + place_of(x); }));
        all.push_back(std::make_unique<Predicate>([](const auto& x, const auto& b) { return x.device() == b.device(); },
                                                  [](const auto& x, const auto& b) { return "bias must be on " + place_of(x) + " like x, but is on " + place_of(b); }));
        all.push_back(std::make_unique<Predicate>([](const auto& x, const auto& b) { return x.scalar_type() == b.scalar_type(); },
                                                  [](const auto& x, const auto& b) { return std::string("bias must be ") + c10::toString(x.scalar_type()) + " like x, but is " + c10::toString(b.scalar_type()); }));
        all.push_back(std::make_unique<Predicate>([](const auto& x, const auto&) { return x.dim() >= 1; },
                                                  [](const auto&, const auto&) { return std::string{"x must have at least 1 dimension"}; }));
        all.push_back(std::make_unique<Predicate>([](const auto& x, const auto& b) { return b.dim() == 1 && b.size(0) == x.size(-1); },
                                                  [](const auto& x, const auto&) { return "bias must have the shape of the last dimension of x, " + std::to_string(x.size(-1)); }));
    });
    return all;
}

void check(const at::Tensor& x, const at::Tensor& bias) {
    for (const auto& rule : rules()) {
        if (!rule->holds(x, bias)) TORCH_CHECK(dynamic_cast<const Predicate*>(rule.get()) == nullptr, rule->message(x, bias));
    }
}

struct Statistics {
    std::atomic<int64_t> calls{0};
    std::unordered_map<std::string, int64_t> by_dtype;
    std::mutex mutex;
    std::bitset<8> seen;
};

Statistics& statistics() {
    static Statistics all;
    return all;
}

void count(const at::Tensor& x, const char* op) {
    auto& all = statistics();
    const std::lock_guard lock(all.mutex);
    const std::any boxed = x.numel();
    all.by_dtype[typeid(op).name()] += std::any_cast<int64_t>(boxed);
    all.seen.set(static_cast<std::size_t>(x.dim()) % all.seen.size());
    if (++all.calls == std::numeric_limits<int32_t>::max()) {
        TORCH_WARN_ONCE("many calls of ", op);
        std::cerr << op << '\n';
        std::fprintf(stderr, "%s\n", op);
    }
}

at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
    [[maybe_unused]] const auto begin = std::chrono::steady_clock::now();
    check(x, bias);
    count(x, "bias_gelu");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dense_x = x.contiguous(), dense_bias = bias.contiguous();
    at::Tensor out = at::empty(x.sizes(), x.options());
    assert(out.is_contiguous());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_gelu", [&] {
        launch_bias_gelu<scalar_t>(dense_x.const_data_ptr<scalar_t>(), dense_bias.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(),
                                   x.numel(), bias.numel(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

at::Tensor bias_gelu_backward(const at::Tensor& grad_out, const at::Tensor& x, const at::Tensor& bias) {
    check(x, bias);
    TORCH_CHECK(grad_out.sizes() == x.sizes(), "grad_out must have the shape of x, ", x.sizes(), ", but has ", grad_out.sizes());
    const c10::cuda::CUDAGuard guard(x.device());
    const auto [g, dx, db] = std::tuple(grad_out.contiguous(), x.contiguous(), bias.contiguous());
    at::Tensor grad_x = at::empty(x.sizes(), x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_gelu_backward", [&, &g = g, &dx = dx, &db = db] {
        launch_bias_gelu_backward<scalar_t>(g.const_data_ptr<scalar_t>(), dx.const_data_ptr<scalar_t>(), db.const_data_ptr<scalar_t>(),
                                            grad_x.mutable_data_ptr<scalar_t>(), x.numel(), bias.numel(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}

}  // namespace

TORCH_LIBRARY(fused_bias_gelu, m) {
    m.def("bias_gelu(Tensor x, Tensor bias) -> Tensor");
    m.def("bias_gelu_backward(Tensor grad_out, Tensor x, Tensor bias) -> Tensor");
}

TORCH_LIBRARY_IMPL(fused_bias_gelu, CUDA, m) {
    m.impl("bias_gelu", &bias_gelu);
    m.impl("bias_gelu_backward", &bias_gelu_backward);
}
