// Between PyTorch and the launchers, as in 23, on the part of PyTorch's C++ that keeps its ABI.
#include "launchers.h"

#include <string>

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

namespace {

std::string device_of(const Tensor& x) {
    return x.is_cuda()  ? "cuda:" + std::to_string(x.get_device_index())
           : x.is_cpu() ? "cpu"
                        : "another device";
}

std::string shape_of(const Tensor& x) {
    std::string text;
    for (const int64_t size : x.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "[" + text + "]";
}

// Raises unless `x` is contiguous and agrees with `a` in device, dtype and shape. The kernel reads
// raw memory: it misreads anything that is not checked here.
void check_like(const Tensor& x, const Tensor& a, const char* name) {
    // --8<-- [start:like]
    STD_TORCH_CHECK(x.device() == a.device(), name, " must be on ", device_of(a),
                    " like a, but is on ", device_of(x));
    STD_TORCH_CHECK(x.scalar_type() == a.scalar_type(), name, " must be ", a.scalar_type(),
                    " like a, but is ", x.scalar_type());
    STD_TORCH_CHECK(x.sizes().equals(a.sizes()), name, " must have the shape of a, ", shape_of(a),
                    ", but has ", shape_of(x));
    STD_TORCH_CHECK(x.is_contiguous(), name, " must be contiguous");
    // --8<-- [end:like]
}

void check_first(const Tensor& a) {
    // --8<-- [start:first]
    STD_TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor, but is on ", device_of(a));
    const ScalarType dtype = a.scalar_type();
    STD_TORCH_CHECK(dtype == ScalarType::Float || dtype == ScalarType::Double,
                    "a must be float32 or float64, but is ", dtype);
    // --8<-- [end:first]
    check_like(a, a, "a");
}

// PyTorch's current stream on the device of `x`.
cudaStream_t current_stream(const Tensor& x) {
    // --8<-- [start:stream]
    void* stream = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    return static_cast<cudaStream_t>(stream);
    // --8<-- [end:stream]
}

Tensor muladd(const Tensor& a, const Tensor& b, const Tensor& c) {
    check_first(a);
    check_like(b, a, "b");
    check_like(c, a, "c");
    // --8<-- [start:muladd]
    const torch::stable::accelerator::DeviceGuard guard(a.get_device_index());
    Tensor out = torch::stable::empty_like(a);
    THO_DISPATCH_V2(a.scalar_type(), "muladd", AT_WRAP([&] {
                        launch_muladd(a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
                                      c.const_data_ptr<scalar_t>(),
                                      out.mutable_data_ptr<scalar_t>(), a.numel(),
                                      current_stream(a));
                    }),
                    AT_FLOATING_TYPES);
    STD_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
    // --8<-- [end:muladd]
}

// For the gradients: a * b.
Tensor multiply(const Tensor& a, const Tensor& b) {
    check_first(a);
    check_like(b, a, "b");
    // --8<-- [start:multiply]
    const torch::stable::accelerator::DeviceGuard guard(a.get_device_index());
    Tensor out = torch::stable::empty_like(a);
    THO_DISPATCH_V2(a.scalar_type(), "multiply", AT_WRAP([&] {
                        launch_multiply(a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
                                        out.mutable_data_ptr<scalar_t>(), a.numel(),
                                        current_stream(a));
                    }),
                    AT_FLOATING_TYPES);
    STD_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
    // --8<-- [end:multiply]
}

}  // namespace

// --8<-- [start:library]
STABLE_TORCH_LIBRARY(fused_muladd, m) {
    m.def("muladd(Tensor a, Tensor b, Tensor c) -> Tensor");
    m.def("multiply(Tensor a, Tensor b) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(fused_muladd, CUDA, m) {
    m.impl("muladd", TORCH_BOX(&muladd));
    m.impl("multiply", TORCH_BOX(&multiply));
}
// --8<-- [end:library]
