// The host's view of device tensors: CPU tensors over the same bytes, so that a CPU kernel computes in place.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace cusimt::device {

// As long as one exists, the host may touch device memory: for copies and library operators.
class DeviceMemoryAccess {
  public:
    DeviceMemoryAccess();
    ~DeviceMemoryAccess();
    DeviceMemoryAccess(const DeviceMemoryAccess&) = delete;
    DeviceMemoryAccess& operator=(const DeviceMemoryAccess&) = delete;
};

// A device tensor over fresh device memory.
at::Tensor empty_on_device(c10::DeviceIndex device, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype);

// Marks the bytes of `device_tensor`, and only those, as written by `writer` (SIMT_LIBRARY, ...).
void mark_written(const at::Tensor& device_tensor, int writer);

// A CPU tensor over the bytes of one device tensor, for a read or an in-place write.
at::Tensor host_view(const at::Tensor& device_tensor);

// The views that one operator call needs. Tensors that share a storage share it in the view as well, and a tensor that
// is passed twice is viewed once, so that a kernel sees the aliasing that the caller made.
class HostViews {
  public:
    explicit HostViews(c10::DeviceIndex device) : device_(device) {}

    at::Tensor of(const at::Tensor& device_tensor);

    // After the kernel: the device tensor takes over the sizes, strides and storage that its view was given.
    void adopt_changes(const at::Tensor& device_tensor);

    // The device tensor for a result: the argument itself, a view of an argument's storage, or a copy of a fresh
    // result, marked SIMT_LIBRARY.
    at::Tensor to_device(const at::Tensor& host) const;

    // Of the device tensors among the arguments.
    size_t bytes() const;

  private:
    struct Pair {
        at::Tensor device;
        at::Tensor host;
    };

    const Pair* find(const at::Tensor& device_tensor) const;
    c10::Storage host_storage(const c10::Storage& device_storage) const;

    c10::DeviceIndex device_;
    c10::SmallVector<Pair, 8> pairs_;
};

}  // namespace cusimt::device
