// Between PyTorch and the launcher: a list of tensors that is changed in place, each on a stream of
// its own.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

using c10::cuda::CUDAEvent;
using c10::cuda::CUDAStream;

template <typename T>
void launch_diffuse(const T* before, T* after, int64_t n, T rate, cudaStream_t stream);

namespace {

// Raises, naming the ring by its place in the list, unless the step can work on all of them.
void check_rings(at::TensorList rings) {
    for (size_t i = 0; i < rings.size(); ++i) {
        const at::Tensor& ring = rings[i];
        TORCH_CHECK(ring.scalar_type() == at::kFloat || ring.scalar_type() == at::kDouble, "rings[",
                    i, "] must be float32 or float64, but is ", ring.scalar_type());
        // TODO(checks): refuse, naming rings[i]: not "CUDA", another device than rings[0] (name both), not
        //   "contiguous", about 6 lines.
    }
}

// Queues one step of one ring on `stream`. No cell may be overwritten while a neighbour still has to
// read it, so the kernel reads a copy, and writes into the ring.
template <typename T>
void step(const at::Tensor& ring, double rate, const CUDAStream& stream) {
    const int64_t n = ring.numel();
    // TODO(scratch): scratch for n cells with the ring's options, not reused until `stream` is done
    //   with it; copy the ring there on `stream`, about 4 lines.
    const at::Tensor scratch;
    launch_diffuse<T>(scratch.const_data_ptr<T>(), ring.mutable_data_ptr<T>(), n,
                      static_cast<T>(rate), stream);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}  // here scratch goes back to the caching allocator, while its stream may not have begun

void diffuse_(at::TensorList rings, double rate) {
    check_rings(rings);
    // TODO(current): make the rings' device current, then get the stream that is current on it, about 2
    //   lines.
    const CUDAStream caller = c10::cuda::getDefaultCUDAStream();
    // TODO(ready): an event after everything that the caller has queued so far, about 2 lines.
    for (const at::Tensor& ring : rings) {
        // TODO(fork): a stream from the pool that waits until the rings are ready, about 2 lines.
        const CUDAStream side = caller;
        if (ring.scalar_type() == at::kFloat) {
            step<float>(ring, rate, side);
        } else {
            step<double>(ring, rate, side);
        }
        // TODO(join): make the caller's stream wait for this ring, about 3 lines.
    }
}

}  // namespace

// (a!) says that the tensors of the list are written to; the op returns nothing.
TORCH_LIBRARY(streams_and_devices, m) {
    m.def("diffuse_(Tensor(a!)[] rings, float rate) -> ()");
}

TORCH_LIBRARY_IMPL(streams_and_devices, CUDA, m) {
    m.impl("diffuse_", &diffuse_);
}
