// aten::copy_ and item() where a side is on the device: values, and the marks of who wrote them.
#include "copy.h"

#include "fallback.h"
#include "host_view.h"
#include "operator_log.h"
#include "simulated_time.h"
#include "stream_touches.h"

#include "../include/simt_api.h"

#include <ATen/TensorIterator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/copy.h>
#include <c10/core/DeviceGuard.h>

#include <cstring>

namespace cusimt::device {
namespace {

at::Tensor on_host(const at::Tensor& tensor) { return tensor.is_cuda() ? host_view(tensor) : tensor; }

bool same_layout(const at::Tensor& a, const at::Tensor& b) {
    return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides() && a.is_non_overlapping_and_dense() &&
           a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

// Each element of `to` takes the mark of the element of `from` that was copied into it.
void copy_marks(const at::Tensor& to, const at::Tensor& from) {
    const auto item = to.element_size();
    auto elements = at::TensorIteratorConfig()
                        .set_check_mem_overlap(false)
                        .check_all_same_dtype(false)
                        .resize_outputs(false)
                        .add_owned_output(host_view(to))
                        .add_owned_const_input(host_view(from))
                        .build();
    elements.serial_for_each(
        [=](char** data, const int64_t* strides, int64_t count) {
            const auto run = static_cast<int64_t>(item);
            if (strides[0] == run && strides[1] == run) {
                simt_copy_marks(data[0], data[1], count * item);
                return;
            }
            for (int64_t i = 0; i < count; ++i) {
                simt_copy_marks(data[0] + i * strides[0], data[1] + i * strides[1], item);
            }
        },
        {0, elements.numel()});
}

void copy_values(const at::Tensor& to, const at::Tensor& from) {
    if (same_layout(to, from)) {
        std::memmove(to.mutable_data_ptr(), from.const_data_ptr(), to.nbytes());
        return;
    }
    on_host(to).copy_(on_host(from));
}

void mark_copied(const at::Tensor& to, const at::Tensor& from) {
    if (!to.is_cuda()) {
        return;
    }
    if (!from.is_cuda()) {
        mark_written(to, SIMT_COPY);
    } else if (to.dtype() != from.dtype()) {
        mark_written(to, SIMT_LIBRARY);  // a conversion computes
    } else if (same_layout(to, from)) {
        simt_copy_marks(to.mutable_data_ptr(), from.const_data_ptr(), to.nbytes());
    } else {
        copy_marks(to, from);
    }
}

// The current stream of `later` waits for what is queued on that of `earlier`.
void let_wait(c10::Device later, c10::Device earlier) {
    void* const event = simt_event_create(0);
    {
        const c10::DeviceGuard guard(earlier);  // a null stream is the default one of the device that is current
        simt_event_record(event, simt_current_stream(earlier.index()));
    }
    {
        const c10::DeviceGuard guard(later);
        simt_stream_wait_event(simt_current_stream(later.index()), event);
    }
    simt_event_destroy(event);
}

}  // namespace

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
    check_device_is_usable();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    if (self.is_same(src) || self.numel() == 0) {
        on_host(self).copy_(on_host(src));  // nothing moves; PyTorch still checks the shapes
        return self;
    }
    refuse_capture("aten::copy_", (self.is_cuda() ? self : src).device().index());
    const DeviceMemoryAccess access;
    copy_values(self, src);
    mark_copied(self, src);
    log_copy("aten::copy_", src.device(), self.device(), self.nbytes(), self.dtype() != src.dtype());
    const bool within_devices = self.is_cuda() && src.is_cuda();
    const bool across = within_devices && self.device() != src.device();
    // PyTorch copies between devices on the source's stream, and lets it and the target's wait for each other.
    const auto device = (src.is_cuda() ? src : self).device();
    const c10::DeviceGuard guard(device);
    if (across) {
        let_wait(device, self.device());
    }
    pass_copy_time(device.index(), self.nbytes(), within_devices);
    touch_on_stream(src, /*writes=*/false, "aten::copy_", device.index());
    touch_on_stream(self, /*writes=*/true, "aten::copy_", device.index());
    if (across) {
        let_wait(self.device(), device);
    }
    if (!non_blocking && !within_devices) {
        simt_synchronize(device.index());
    }
    return self;
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
    check_device_is_usable();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    refuse_capture("aten::_local_scalar_dense", static_cast<c10::DeviceIndex>(self.get_device()));
    const DeviceMemoryAccess access;
    const auto value = at::_local_scalar_dense(host_view(self));
    log_copy("aten::_local_scalar_dense", self.device(), c10::Device(c10::kCPU), self.element_size(), false);
    simt_synchronize(self.get_device());
    return value;
}

}  // namespace cusimt::device
