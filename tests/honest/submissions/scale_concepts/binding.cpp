#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <array>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

void launch_scale(const float* x, float alpha, float* y, int64_t n, cudaStream_t stream);

namespace first {

struct Requirement {
    bool holds;
    std::string_view what;
};

std::string describe(const at::Tensor& x) {
    std::ostringstream text;
    text << x.scalar_type() << x.sizes() << " on " << x.device();
    return text.str();
}

at::Tensor scale(const at::Tensor& x, double alpha) {
    const std::array requirements{
        Requirement{x.scalar_type() == at::kFloat, "float32"},
        Requirement{x.is_contiguous(), "contiguous"},
        Requirement{x.is_cuda(), "on a GPU"},
    };
    for (const auto& [holds, what] : requirements) {
        TORCH_CHECK_VALUE(holds, "x must be ", std::string(what), ", but is ", describe(x));
    }
    const at::cuda::OptionalCUDAGuard guard(at::device_of(x));
    auto y = at::empty_like(x, x.options().memory_format(at::MemoryFormat::Contiguous));
    launch_scale(x.const_data_ptr<float>(), static_cast<float>(alpha), y.mutable_data_ptr<float>(), x.numel(),
                 at::cuda::getCurrentCUDAStream().stream());
    AT_CUDA_CHECK(cudaGetLastError());
    return y;
}

}  // namespace first

TORCH_LIBRARY(first_kernel, m) {
    m.def("scale(Tensor x, float alpha) -> Tensor", {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(first_kernel, CUDA, m) {
    m.impl("scale", TORCH_FN(first::scale));
}
