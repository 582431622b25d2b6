#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream);
template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream);

using torch::Tensor;

enum class Kind : uint8_t { kSingle, kDouble };

static Kind kind_of(const Tensor& t) {
    switch (t.scalar_type()) {
        case torch::kFloat32: return Kind::kSingle;
        case torch::kFloat64: return Kind::kDouble;
        default: TORCH_CHECK(false, "a must be float32 or float64, but is ", t.scalar_type());
    }
}

using Zero = std::variant<float, double>;
static Zero zero_of(const Tensor& t) { return kind_of(t) == Kind::kSingle ? Zero{0.0f} : Zero{0.0}; }

template <size_t N>
static void same(const std::array<Tensor, N>& tensors, const std::array<std::string, N>& names) {
    const Tensor& first = tensors.front();
    const auto differs = [&first](const Tensor& t) {
        return t.device() != first.device() || t.scalar_type() != first.scalar_type() || !t.is_contiguous() ||
               !std::equal(t.sizes().begin(), t.sizes().end(), first.sizes().begin(), first.sizes().end());
    };
    kind_of(first);
    TORCH_CHECK(first.is_cuda() && first.is_contiguous(), names.front(), " must be a contiguous CUDA tensor");
    const auto found = std::find_if(tensors.cbegin(), tensors.cend(), differs);
    if (found == tensors.cend()) return;
    const std::string& name = names[static_cast<size_t>(found - tensors.cbegin())];
    TORCH_CHECK(found->is_contiguous(), name, " must be contiguous");
    TORCH_CHECK(found->device() == first.device(), name, " must be on ", first.device(), " like ", names.front());
    TORCH_CHECK(found->scalar_type() == first.scalar_type(), name, " must be ", first.scalar_type(), " like ",
                names.front());
    TORCH_CHECK(false, name, " must have the shape ", first.sizes());
}

TORCH_LIBRARY(fused_muladd, m) {
    m.def("muladd(Tensor a, Tensor b, Tensor c) -> Tensor");
    m.def("multiply(Tensor a, Tensor b) -> Tensor");
}

TORCH_LIBRARY_IMPL(fused_muladd, CUDA, m) {
    m.impl("muladd", [](const Tensor& a, const Tensor& b, const Tensor& c) -> Tensor {
        same<3>({a, b, c}, {"a", "b", "c"});
        const c10::cuda::CUDAGuard guard(a.get_device());
        Tensor out = torch::empty_like(a);
        std::visit([&](auto zero) {
            using T = decltype(zero);
            launch_muladd<T>(a.const_data_ptr<T>(), b.const_data_ptr<T>(), c.const_data_ptr<T>(),
                             out.mutable_data_ptr<T>(), a.numel(), c10::cuda::getCurrentCUDAStream());
        }, zero_of(a));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        return out;
    });
    m.impl("multiply", [](const Tensor& a, const Tensor& b) -> Tensor {
        same<2>({a, b}, {"a", "b"});
        const c10::cuda::CUDAGuard guard(a.get_device());
        Tensor out = torch::empty_like(a);
        std::visit([&](auto zero) {
            using T = decltype(zero);
            launch_multiply<T>(a.const_data_ptr<T>(), b.const_data_ptr<T>(), out.mutable_data_ptr<T>(), a.numel(),
                               c10::cuda::getCurrentCUDAStream());
        }, zero_of(a));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        return out;
    });
}
