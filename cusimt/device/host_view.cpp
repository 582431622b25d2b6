// Host views of device tensors, and the way back: which results alias which arguments.
#include "host_view.h"

#include "allocator.h"

#include "../include/simt_api.h"

#include <ATen/EmptyTensor.h>
#include <ATen/TensorIterator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAFunctions.h>

#include <algorithm>
#include <cstring>

namespace cusimt::device {
namespace {

// Lets a CPU kernel resize a view (an out= argument): the memory comes from the arena, and is the device tensor's
// when the kernel is done (HostViews::adopt_changes).
class ViewAllocator final : public c10::Allocator {
  public:
    c10::DataPtr allocate(size_t bytes) override {
        return allocate_in_arena(c10::cuda::current_device(), bytes, c10::Device(c10::kCPU));
    }

    c10::DeleterFnPtr raw_deleter() const override { return arena().raw_deleter(); }

    void copy_data(void* to, const void* from, size_t bytes) const override { arena().copy_data(to, from, bytes); }
};

c10::Allocator* view_allocator() {
    static auto* allocator = new ViewAllocator;
    return allocator;
}

c10::Storage view_of_storage(const c10::Storage& device_storage) {
    return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), device_storage.nbytes(),
                                                 c10::DataPtr(device_storage.mutable_data(), c10::Device(c10::kCPU)),
                                                 view_allocator(), /*resizable=*/true);
}

// Whether the values are to be read conjugated or negated is a bit of the tensor, not of its bytes.
void copy_lazy_bits(const at::Tensor& to, const at::Tensor& from) {
    if (to.is_conj() != from.is_conj()) {
        to._set_conj(from.is_conj());
    }
    if (to.is_neg() != from.is_neg()) {
        to._set_neg(from.is_neg());
    }
}

at::Tensor tensor_over(c10::Storage storage, c10::DispatchKey key, const at::Tensor& like) {
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    copy_lazy_bits(tensor, like);
    return tensor;
}

// The device storage takes over the memory that a kernel gave to the view's: memory of the arena after a resize, or a
// copy of it if the kernel replaced the storage altogether.
void give_memory(const c10::Storage& view, const c10::Storage& device_storage, c10::DeviceIndex device) {
    auto memory = view.set_data_ptr(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
    if (memory.get() != nullptr && simt_is_device_pointer(memory.get()) == 0) {
        auto copy = allocate_in_arena(device, view.nbytes(), c10::Device(c10::kCPU));
        std::memcpy(copy.get(), memory.get(), view.nbytes());
        memory = std::move(copy);
    } else {
        simt_copy_marks(memory.get(), device_storage.data(), std::min(view.nbytes(), device_storage.nbytes()));
    }
    memory.unsafe_set_device(device_storage.device());
    view.set_data_ptr_noswap(c10::DataPtr(memory.get(), c10::Device(c10::kCPU)));
    device_storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(memory));
    device_storage.unsafeGetStorageImpl()->set_nbytes(view.nbytes());
}

// A result that the CPU kernel allocated, copied into device memory with its strides.
at::Tensor copy_to_device(const at::Tensor& host, c10::DeviceIndex device) {
    auto result = empty_on_device(device, host.sizes(), host.strides(), host.scalar_type());
    const size_t bytes = result.storage().nbytes();
    if (bytes > 0 && host.numel() > 0) {
        std::memcpy(result.mutable_data_ptr(), host.const_data_ptr(), bytes);
        simt_mark_written(result.mutable_data_ptr(), bytes, SIMT_LIBRARY);
    }
    copy_lazy_bits(result, host);
    return result;
}

}  // namespace

DeviceMemoryAccess::DeviceMemoryAccess() { simt_open_shield(1); }

DeviceMemoryAccess::~DeviceMemoryAccess() { simt_open_shield(0); }

at::Tensor empty_on_device(c10::DeviceIndex device, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype) {
    c10::DeviceGuard guard(c10::Device(c10::kCUDA, device));
    return at::Tensor(
        at::detail::empty_strided_generic(sizes, strides, &arena(), c10::DispatchKeySet(c10::DispatchKey::CUDA), dtype));
}

void mark_written(const at::Tensor& device_tensor, int writer) {
    if (device_tensor.numel() == 0) {
        return;
    }
    auto* first = static_cast<char*>(device_tensor.mutable_data_ptr());
    if (device_tensor.is_non_overlapping_and_dense()) {
        simt_mark_written(first, device_tensor.nbytes(), writer);
        return;
    }
    const auto item = device_tensor.element_size();
    auto elements = at::TensorIteratorConfig()
                        .set_check_mem_overlap(false)
                        .check_all_same_dtype(false)
                        .resize_outputs(false)
                        .add_owned_output(host_view(device_tensor))
                        .build();
    elements.serial_for_each(
        [=](char** data, const int64_t* strides, int64_t count) {
            if (strides[0] == static_cast<int64_t>(item)) {
                simt_mark_written(data[0], count * item, writer);
                return;
            }
            for (int64_t i = 0; i < count; ++i) {
                simt_mark_written(data[0] + i * strides[0], item, writer);
            }
        },
        {0, elements.numel()});
}

at::Tensor host_view(const at::Tensor& device_tensor) {
    return tensor_over(view_of_storage(device_tensor.storage()), c10::DispatchKey::CPU, device_tensor);
}

const HostViews::Pair* HostViews::find(const at::Tensor& device_tensor) const {
    for (const auto& pair : pairs_) {
        if (pair.device.is_same(device_tensor)) {
            return &pair;
        }
    }
    return nullptr;
}

c10::Storage HostViews::host_storage(const c10::Storage& device_storage) const {
    for (const auto& pair : pairs_) {
        if (pair.device.storage().is_alias_of(device_storage)) {
            return pair.host.storage();
        }
    }
    return view_of_storage(device_storage);
}

at::Tensor HostViews::of(const at::Tensor& device_tensor) {
    if (const auto* known = find(device_tensor)) {
        return known->host;
    }
    auto view = tensor_over(host_storage(device_tensor.storage()), c10::DispatchKey::CPU, device_tensor);
    if (device_tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        view.unsafeGetTensorImpl()->set_wrapped_number(true);
    }
    pairs_.push_back({device_tensor, view});
    return view;
}

void HostViews::adopt_changes(const at::Tensor& device_tensor) {
    const auto* pair = find(device_tensor);
    if (pair == nullptr) {
        return;
    }
    const auto& host = pair->host;
    const auto& storage = device_tensor.storage();
    if (host.storage().data() != storage.data()) {
        give_memory(host.storage(), storage, device_);
    }
    if (host.sizes() != device_tensor.sizes() || host.strides() != device_tensor.strides() ||
        host.storage_offset() != device_tensor.storage_offset()) {
        device_tensor.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides(), host.storage_offset());
    }
    copy_lazy_bits(device_tensor, host);
}

size_t HostViews::bytes() const {
    size_t sum = 0;
    for (const auto& pair : pairs_) {
        sum += pair.device.nbytes();
    }
    return sum;
}

at::Tensor HostViews::to_device(const at::Tensor& host) const {
    if (!host.defined() || !host.is_cpu()) {
        return host;
    }
    TORCH_CHECK_NOT_IMPLEMENTED(host.layout() == at::kStrided, "The simulated device has no ", host.layout(),
                                " tensors. Only strided (dense) tensors live on it. Call .to_dense() first.");
    for (const auto& pair : pairs_) {
        if (pair.host.is_same(host)) {
            return pair.device;
        }
    }
    for (const auto& pair : pairs_) {
        if (pair.host.storage().is_alias_of(host.storage())) {
            return tensor_over(pair.device.storage(), c10::DispatchKey::CUDA, host);
        }
    }
    return copy_to_device(host, device_);
}

}  // namespace cusimt::device
