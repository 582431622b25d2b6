// Operators that create, reshape and rebind tensors without touching their bytes.
#pragma once

#include <ATen/core/Tensor.h>

namespace cusimt::device {

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format);
at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pin_memory);
at::Tensor efficient_zeros(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                           std::optional<at::Device> device, std::optional<bool> pin_memory);
at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size);
at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                      std::optional<c10::SymInt> offset);
at::Tensor& set_storage(at::Tensor& self, at::Storage source);
at::Tensor& set_storage_strided(at::Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
                                c10::SymIntArrayRef stride);
at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source);
at::Tensor& set_nothing(at::Tensor& self);
void record_stream(at::Tensor& self, at::Stream stream);

}  // namespace cusimt::device
