#include "stream_touches.h"

#include "../runtime/simt_api.h"

#include <c10/util/irange.h>

namespace cu2grad::device {

void touch_on_stream(const at::Tensor& tensor, bool writes, const char* name) {
  if (!tensor.defined() || !tensor.is_cuda() || tensor.layout() != at::kStrided || tensor.numel() == 0) {
    return;
  }
  int64_t elements = 1;
  for (const auto dimension : c10::irange(tensor.dim())) {
    elements += (tensor.size(dimension) - 1) * tensor.stride(dimension);
  }
  const auto* begin = static_cast<const char*>(tensor.storage().data()) + tensor.storage_offset() * tensor.element_size();
  simt_stream_touches(simt_current_stream(tensor.get_device()), begin, elements * tensor.element_size(), writes, name);
}

}  // namespace cu2grad::device
