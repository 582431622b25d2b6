#include <torch/extension.h>

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <initializer_list>
#include <limits>
#include <utility>

namespace {

using Vector = torch::PackedTensorAccessor64<float, 1, torch::RestrictPtrTraits>;

__global__ void multiply(const Vector a, const Vector b, Vector out) {
    const auto i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < out.size(0)) out[i] = a[i] * b[i];
}

void multiply_out(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
    const auto require = [&a](const at::Tensor& x, const char* name) {
        TORCH_CHECK(x.is_cuda(), name, " must be a CUDA tensor, but is on ", x.device());
        TORCH_CHECK(x.scalar_type() == torch::kFloat, name, " must be float32, but is ", x.scalar_type());
        TORCH_CHECK(x.is_contiguous(), name, " must be contiguous, but has strides ", x.strides());
        TORCH_CHECK(x.sizes().equals(a.sizes()), name, " must have the shape of a, ", a.sizes(), ", not ", x.sizes());
        TORCH_CHECK(x.get_device() == a.get_device(), name, " must be on the device of a, not on ", x.device());
    };
    for (const auto& [x, name] : std::initializer_list<std::pair<const at::Tensor&, const char*>>{
             {a, "a"}, {b, "b"}, {out, "out"}}) {
        require(x, name);
    }
    if (out.numel() == 0) return;
    const c10::DeviceGuard guard(a.device());
    constexpr uint32_t threads = 192;
    const int64_t blocks = (out.numel() + threads - 1) / threads;
    TORCH_CHECK(blocks <= std::numeric_limits<int32_t>::max(), "a has too many elements");
    const auto flat_a = a.view(-1), flat_b = b.view(-1);
    auto flat_out = out.view(-1);
    multiply<<<static_cast<uint32_t>(blocks), threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        flat_a.packed_accessor64<float, 1, torch::RestrictPtrTraits>(),
        flat_b.packed_accessor64<float, 1, torch::RestrictPtrTraits>(),
        flat_out.packed_accessor64<float, 1, torch::RestrictPtrTraits>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("multiply_out", multiply_out, py::arg("a"), py::arg("b"), py::arg("out"), py::call_guard<py::gil_scoped_release>());
}
