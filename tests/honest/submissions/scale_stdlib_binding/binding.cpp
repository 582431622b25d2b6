#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <optional>
#include <string_view>
#include <tuple>

void launch_scale(const float* x, float alpha, float* y, int64_t n, cudaStream_t stream);

namespace {

using Problem = std::optional<std::string_view>;

[[nodiscard]] Problem problem_with(const at::Tensor& x) {
    if (!x.is_cuda()) return "must be a CUDA tensor";
    if (x.scalar_type() != at::ScalarType::Float) return "must be float32";
    if (!x.is_contiguous()) return "must be contiguous";
    return std::nullopt;
}

at::Tensor scale(const at::Tensor& x, double alpha) {
    const Problem problem = problem_with(x);
    TORCH_CHECK(!problem.has_value(), "x ", problem.value_or(""), ", but is ", x.toString(), " ", x.strides());
    const at::OptionalDeviceGuard guard(at::device_of(x));
    auto y = at::empty_like(x, x.options().memory_format(at::MemoryFormat::Contiguous));
    const auto [from, to, count] = std::make_tuple(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
    launch_scale(from, static_cast<float>(alpha), to, count, c10::cuda::getCurrentCUDAStream(x.get_device()).stream());
    C10_CUDA_CHECK(cudaGetLastError());
    TORCH_INTERNAL_ASSERT(y.defined());
    return y;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(first_kernel, library) { library.def("scale(Tensor x, float alpha) -> Tensor"); }
TORCH_LIBRARY_IMPL(first_kernel, CUDA, library) { library.impl("scale", TORCH_FN(scale)); }
