// The operator in the part of PyTorch's C++ interface that keeps its ABI: torch 2.10 and later.
#include <cuda_runtime.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

template <typename T>
void launch_axpy(T alpha, const T* x, const T* y, T* out, int64_t n, cudaStream_t stream);

template <typename T>
void launch(double alpha, const Tensor& x, const Tensor& y, Tensor& out) {
    void* stream = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    launch_axpy<T>(alpha, x.const_data_ptr<T>(), y.const_data_ptr<T>(), out.mutable_data_ptr<T>(),
                   out.numel(), static_cast<cudaStream_t>(stream));
    STD_CUDA_KERNEL_LAUNCH_CHECK();
}

Tensor axpy(double alpha, const Tensor& x, const Tensor& y) {
    const int32_t device = x.get_device_index();
    STD_TORCH_CHECK(y.get_device_index() == device, "x and y must be on one device");
    STD_TORCH_CHECK(y.scalar_type() == x.scalar_type(), "x and y must have one dtype");
    STD_TORCH_CHECK(y.sizes().equals(x.sizes()), "x and y must have one shape");
    const torch::stable::accelerator::DeviceGuard guard(device);
    const Tensor from_x = torch::stable::contiguous(x);  // copies if strided
    const Tensor from_y = torch::stable::contiguous(y);
    Tensor out = torch::stable::empty_like(from_x);
    const ScalarType dtype = x.scalar_type();
    STD_TORCH_CHECK(dtype == ScalarType::Float || dtype == ScalarType::Double,
                    "x must be float32 or float64");
    if (dtype == ScalarType::Float) {
        launch<float>(alpha, from_x, from_y, out);
    } else {
        launch<double>(alpha, from_x, from_y, out);
    }
    return out;
}

STABLE_TORCH_LIBRARY(axpy_stable, m) { m.def("axpy(float alpha, Tensor x, Tensor y) -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(axpy_stable, CUDA, m) { m.impl("axpy", TORCH_BOX(&axpy)); }
