// Between PyTorch and the launcher: one ring on the caller's stream, then a list of rings, each on a
// stream of its own, then the same list changed in place.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <vector>

using c10::cuda::CUDAEvent;
using c10::cuda::CUDAStream;

template <typename T>
void launch_diffuse(const T* before, T* after, int64_t n, T rate, cudaStream_t stream);

namespace {

// Queues one step on `stream`: reads the cells of `before`, writes those of `after`.
void launch_step(const at::Tensor& before, const at::Tensor& after, double rate,
                 const CUDAStream& stream) {
    const int64_t n = before.numel();
    if (before.scalar_type() == at::kFloat) {
        launch_diffuse<float>(before.const_data_ptr<float>(), after.mutable_data_ptr<float>(), n,
                              static_cast<float>(rate), stream);
    } else {
        launch_diffuse<double>(before.const_data_ptr<double>(), after.mutable_data_ptr<double>(), n,
                               rate, stream);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

// Part 1: the current stream, and the device that it belongs to. Every operation below enters here.

// Calls `work` with the stream that the caller works on, while the device of `ring` is current.
template <typename Work>
auto on_callers_stream(const at::Tensor& ring, const Work& work) {
    // TODO(current): make the ring's device current, then get the stream that is current on it, about 2
    //   lines.
    const CUDAStream caller = c10::cuda::getDefaultCUDAStream();
    return work(caller);
}

at::Tensor step(const at::Tensor& ring, double rate) {
    return on_callers_stream(ring, [&](const CUDAStream& caller) {
        at::Tensor after = at::empty_like(ring);
        launch_step(ring, after, rate, caller);
        return after;
    });
}

// Part 2: several rings, each on a stream of its own, between a fork and a join.

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

// Streams beside the caller's, which begin after its work and end before what it queues next.
class SideStreams {
 public:
    explicit SideStreams(const CUDAStream& caller) : caller_(caller) {
        // TODO(ready): the event ready_ after everything that the caller has queued so far, about 1 line.
    }

    CUDAStream fork() {
        // TODO(fork): a stream from the pool that waits until the rings are ready, about 2 lines.
        const CUDAStream side = caller_;
        return side;
    }

    void join(const CUDAStream& side) {
        // TODO(join): make the caller's stream wait for this ring, about 3 lines.
    }

 private:
    CUDAStream caller_;
    CUDAEvent ready_;
};

std::vector<at::Tensor> step_each(at::TensorList rings, double rate) {
    check_rings(rings);
    return on_callers_stream(rings[0], [&](const CUDAStream& caller) {
        std::vector<at::Tensor> after;
        for (const at::Tensor& ring : rings) {
            after.push_back(at::empty_like(ring));
        }
        SideStreams streams(caller);
        for (size_t i = 0; i < rings.size(); ++i) {
            const CUDAStream side = streams.fork();
            launch_step(rings[i], after[i], rate, side);
            streams.join(side);
        }
        return after;
    });
}

// Part 3: in place. No cell may be overwritten while a neighbour still has to read it, so the kernel
// reads a copy, and writes into the ring.
void step_in_place(const at::Tensor& ring, double rate, const CUDAStream& stream) {
    // TODO(scratch): scratch for as many cells as the ring has, with its options, not reused until
    //   `stream` is done with it; copy the ring there on `stream`, about 4 lines.
    const at::Tensor scratch;
    launch_step(scratch, ring, rate, stream);
}  // here scratch goes back to the caching allocator, while its stream may not have begun

void step_each_(at::TensorList rings, double rate) {
    check_rings(rings);
    on_callers_stream(rings[0], [&](const CUDAStream& caller) {
        SideStreams streams(caller);
        for (const at::Tensor& ring : rings) {
            const CUDAStream side = streams.fork();
            step_in_place(ring, rate, side);
            streams.join(side);
        }
    });
}

}  // namespace

// (a!) says that the tensors of the list are written to; that op returns nothing.
TORCH_LIBRARY(streams_and_devices, m) {
    m.def("step(Tensor ring, float rate) -> Tensor");
    m.def("step_each(Tensor[] rings, float rate) -> Tensor[]");
    m.def("step_each_(Tensor(a!)[] rings, float rate) -> ()");
}

TORCH_LIBRARY_IMPL(streams_and_devices, CUDA, m) {
    m.impl("step", &step);
    m.impl("step_each", &step_each);
    m.impl("step_each_", &step_each_);
}
