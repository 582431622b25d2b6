// The same operator through PyTorch's stable ABI: no ATen type, a device guard and the current stream by C functions.
#include <cuda_runtime.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

template <typename T>
void launch_scale(const T* x, T* y, double factor, long n, cudaStream_t stream);

using torch::stable::Tensor;

Tensor scale(const Tensor& x, double factor) {
    STD_TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
    const torch::stable::accelerator::DeviceGuard guard(x.get_device_index());
    Tensor y = torch::stable::empty_like(x);
    void* stream = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    launch_scale(static_cast<const double*>(x.const_data_ptr()), static_cast<double*>(y.mutable_data_ptr()), factor,
                 x.numel(), static_cast<cudaStream_t>(stream));
    STD_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

void fail_with(int64_t code) {
    STD_CUDA_CHECK(static_cast<cudaError_t>(code));
}

STABLE_TORCH_LIBRARY(simt_stable_tests, m) {
    m.def("scale(Tensor x, float factor) -> Tensor");
    m.def("fail_with(int code) -> ()");
}

STABLE_TORCH_LIBRARY_IMPL(simt_stable_tests, CUDA, m) {
    m.impl("scale", TORCH_BOX(&scale));
}

STABLE_TORCH_LIBRARY_IMPL(simt_stable_tests, CompositeExplicitAutograd, m) {
    m.impl("fail_with", TORCH_BOX(&fail_with));
}
