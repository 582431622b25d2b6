// Tells the runtime which bytes an operator reads and writes on the current stream.
#include "stream_touches.h"

#include "../include/simt_api.h"

#include <c10/util/SmallVector.h>
#include <c10/util/irange.h>

namespace cusimt::device {

void touch_on_stream(const at::Tensor& tensor, bool writes, const char* name, c10::DeviceIndex device) {
    if (!tensor.defined() || !tensor.is_cuda() || tensor.layout() != at::kStrided || tensor.numel() == 0) {
        return;
    }
    const size_t width = tensor.element_size();
    c10::SmallVector<simt_stride, 6> strides;
    for (const auto dimension : c10::irange(tensor.dim())) {
        strides.push_back({static_cast<size_t>(tensor.size(dimension)), static_cast<size_t>(tensor.stride(dimension)) * width});
    }
    const auto* begin = static_cast<const char*>(tensor.storage().data()) + tensor.storage_offset() * width;
    void* const stream = simt_current_stream(device < 0 ? tensor.get_device() : device);
    simt_stream_touches(stream, begin, width, strides.data(), strides.size(), writes, name);
}

}  // namespace cusimt::device
