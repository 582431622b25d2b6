// Copies to, from and within the simulated devices.
#pragma once

#include <ATen/core/Tensor.h>

namespace cusimt::device {

// aten::copy_ whenever one side is on the device: values, and the marks of who wrote them.
at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool non_blocking);

// aten::_local_scalar_dense, behind Tensor.item().
at::Scalar local_scalar_dense(const at::Tensor& self);

}  // namespace cusimt::device
