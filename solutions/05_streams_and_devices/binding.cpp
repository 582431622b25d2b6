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
        // --8<-- [start:checks]
        TORCH_CHECK(ring.is_cuda(), "rings[", i, "] must be a CUDA tensor, but is on ",
                    ring.device());
        TORCH_CHECK(ring.device() == rings[0].device(), "rings[", i, "] must be on ",
                    rings[0].device(), " like rings[0], but is on ", ring.device());
        TORCH_CHECK(ring.is_contiguous(), "rings[", i, "] must be contiguous, but has strides ",
                    ring.strides());
        // --8<-- [end:checks]
    }
}

// Queues one step of one ring on `stream`. No cell may be overwritten while a neighbour still has to
// read it, so the kernel reads a copy, and writes into the ring.
template <typename T>
void step(const at::Tensor& ring, double rate, const CUDAStream& stream) {
    const int64_t n = ring.numel();
    // --8<-- [start:scratch]
    const at::Tensor scratch = at::empty({n}, ring.options());
    scratch.record_stream(stream);  // it belongs to the caller's stream, and is used on this one
    C10_CUDA_CHECK(cudaMemcpyAsync(scratch.mutable_data_ptr<T>(), ring.const_data_ptr<T>(),
                                   n * sizeof(T), cudaMemcpyDeviceToDevice, stream));
    // --8<-- [end:scratch]
    launch_diffuse<T>(scratch.const_data_ptr<T>(), ring.mutable_data_ptr<T>(), n,
                      static_cast<T>(rate), stream);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}  // here scratch goes back to the caching allocator, while its stream may not have begun

void diffuse_(at::TensorList rings, double rate) {
    check_rings(rings);
    // --8<-- [start:current]
    const c10::cuda::CUDAGuard guard(rings[0].device());
    const CUDAStream caller = c10::cuda::getCurrentCUDAStream();
    // --8<-- [end:current]
    // --8<-- [start:ready]
    CUDAEvent ready;
    ready.record(caller);  // once this has passed, the rings hold what they should
    // --8<-- [end:ready]
    for (const at::Tensor& ring : rings) {
        // --8<-- [start:fork]
        const CUDAStream side = c10::cuda::getStreamFromPool();
        ready.block(side);
        // --8<-- [end:fork]
        if (ring.scalar_type() == at::kFloat) {
            step<float>(ring, rate, side);
        } else {
            step<double>(ring, rate, side);
        }
        // --8<-- [start:join]
        CUDAEvent done;
        done.record(side);
        done.block(caller);  // whatever the caller queues from now on finds this ring finished
        // --8<-- [end:join]
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
