// Operators that make, reshape and rebind tensors without touching their bytes.
#include "structural.h"

#include "allocator.h"
#include "fallback.h"
#include "generator.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAFunctions.h>

namespace cusimt::device {
namespace {

constexpr c10::DispatchKeySet kCudaKeys(c10::DispatchKey::CUDA);

}  // namespace

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> /*layout*/,
                 std::optional<at::Device> device, std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
    check_device_is_usable();
    TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
    const c10::OptionalDeviceGuard guard(device);
    return at::Tensor(
        at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &arena(), kCudaKeys, c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> /*layout*/, std::optional<at::Device> device,
                         std::optional<bool> pin_memory) {
    check_device_is_usable();
    TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
    const c10::OptionalDeviceGuard guard(device);
    return at::Tensor(at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                                                        &arena(), kCudaKeys, c10::dtype_or_default(dtype)));
}

// aten::_efficientzerotensor: known to be zero, without memory, until something writes to it.
at::Tensor efficient_zeros(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> /*layout*/,
                           std::optional<at::Device> device, std::optional<bool> /*pin_memory*/) {
    const c10::OptionalDeviceGuard guard(device);
    at::native::ZeroTensorAllocator no_memory(c10::Device(c10::kCUDA, c10::cuda::current_device()));
    const auto keys = c10::DispatchKeySet({c10::DispatchKey::CUDA, c10::DispatchKey::ZeroTensor});
    return at::Tensor(
        at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &no_memory, keys, c10::dtype_or_default(dtype), std::nullopt));
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
    return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                      std::optional<c10::SymInt> offset) {
    const auto start = offset ? std::make_optional(offset->guard_int(__FILE__, __LINE__)) : std::nullopt;
    return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), start);
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) { return at::native::set_(self, std::move(source)); }

at::Tensor& set_storage_strided(at::Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
                                c10::SymIntArrayRef stride) {
    return at::native::set_storage_cpu_(self, std::move(source), offset.guard_int(__FILE__, __LINE__),
                                        C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) { return at::native::set_tensor_(self, source); }

at::Tensor& set_nothing(at::Tensor& self) {
    const c10::DeviceGuard guard(self.device());
    return self.set_(c10::Storage(c10::Storage::use_byte_size_t(), 0, &arena(), /*resizable=*/true), 0, {0}, {});
}

void record_stream(at::Tensor& self, at::Stream stream) {
    TORCH_CHECK(stream.device_type() == c10::kCUDA, "record_stream on a CUDA tensor takes a CUDA stream, got ", stream);
    arena().recordStream(self.storage().data_ptr(), stream);
}

}  // namespace cusimt::device
