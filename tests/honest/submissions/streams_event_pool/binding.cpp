#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <memory>
#include <type_traits>
#include <vector>

template <typename T>
void launch_diffuse(const T* before, T* after, int64_t n, T rate, cudaStream_t stream);

namespace {

struct DestroyEvent {
    void operator()(cudaEvent_t event) const noexcept { C10_CUDA_CHECK_WARN(cudaEventDestroy(event)); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

Event make_event() {
    cudaEvent_t event{};
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return Event(event);
}

template <class F>
class Finally {
public:
    explicit Finally(F f) : f_(std::move(f)) {}
    Finally(const Finally&) = delete;
    ~Finally() { f_(); }

private:
    F f_;
};

void queue(const at::Tensor& from, const at::Tensor& to, double rate, at::cuda::CUDAStream stream) {
    AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), "diffuse", [&] {
        launch_diffuse<scalar_t>(from.const_data_ptr<scalar_t>(), to.mutable_data_ptr<scalar_t>(), from.numel(),
                                 static_cast<scalar_t>(rate), stream.stream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void check(at::TensorList rings) {
    int64_t i = 0;
    for (const auto& ring : rings) {
        TORCH_CHECK(ring.is_cuda(), "rings[", i, "] must be a CUDA tensor, but is on ", ring.device());
        TORCH_CHECK(at::isFloatingType(ring.scalar_type()), "rings[", i, "] must be float, but is ", ring.scalar_type());
        TORCH_CHECK(ring.device() == rings.front().device(), "rings[", i, "] is on ", ring.device(), ", not ", rings.front().device());
        TORCH_CHECK(ring.is_contiguous(), "rings[", i, "] must be contiguous, but has strides ", ring.strides());
        ++i;
    }
}

at::Tensor step(const at::Tensor& ring, double rate) {
    c10::cuda::OptionalCUDAGuard guard;
    guard.set_device(ring.device());
    auto after = at::empty_like(ring);
    queue(ring, after, rate, at::cuda::getCurrentCUDAStream(ring.device().index()));
    return after;
}

template <typename F>
void on_side_streams(at::TensorList rings, F&& work) {
    const at::cuda::CUDAGuard guard(rings.front().device());
    const auto main = at::cuda::getCurrentCUDAStream();
    const Event begin = make_event();
    C10_CUDA_CHECK(cudaEventRecord(begin.get(), main));
    std::vector<Event> ends;
    ends.reserve(rings.size());
    const Finally join([&] {
        for (const auto& end : ends) C10_CUDA_CHECK_WARN(cudaStreamWaitEvent(main, end.get(), 0));
    });
    for (size_t i = 0; i != rings.size(); ++i) {
        const auto side = at::cuda::getStreamFromPool(/*isHighPriority=*/false, rings.front().get_device());
        const at::cuda::CUDAStreamGuard stream_guard(side);
        C10_CUDA_CHECK(cudaStreamWaitEvent(side, begin.get()));
        work(i, side);
        ends.emplace_back(make_event());
        C10_CUDA_CHECK(cudaEventRecord(ends.back().get(), side));
    }
}

std::vector<at::Tensor> step_each(at::TensorList rings, double rate) {
    check(rings);
    std::vector<at::Tensor> after;
    {
        const at::cuda::CUDAGuard guard(rings.front().device());
        for (const auto& ring : rings) after.emplace_back(at::empty_like(ring));
    }
    on_side_streams(rings, [&](size_t i, at::cuda::CUDAStream side) { queue(rings[i], after.at(i), rate, side); });
    return after;
}

void step_each_(at::TensorList rings, double rate) {
    check(rings);
    on_side_streams(rings, [&](size_t i, at::cuda::CUDAStream side) {
        const auto& ring = rings[i];
        const auto scratch = at::empty_like(ring);  // belongs to the side stream, which is current
        if (ring.nbytes() > 0) {
            C10_CUDA_CHECK(cudaMemcpyAsync(scratch.mutable_data_ptr(), ring.const_data_ptr(), ring.nbytes(),
                                           cudaMemcpyDeviceToDevice, side.stream()));
        }
        queue(scratch, ring, rate, side);
    });
}

}  // namespace

TORCH_LIBRARY(streams_and_devices, m) {
    m.def("step(Tensor ring, float rate) -> Tensor");
    m.def("step_each(Tensor[] rings, float rate) -> Tensor[]");
    m.def("step_each_(Tensor(a!)[] rings, float rate) -> ()");
}

TORCH_LIBRARY_IMPL(streams_and_devices, CUDA, m) {
    m.impl("step", TORCH_FN(step));
    m.impl("step_each", TORCH_FN(step_each));
    m.impl("step_each_", TORCH_FN(step_each_));
}
