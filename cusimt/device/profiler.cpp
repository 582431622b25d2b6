// The device side of torch.autograd.profiler: events of the simulated clock time operators.
#include "profiler.h"

#include <c10/cuda/CUDAEvent.h>
#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <memory>

namespace cusimt::device {
namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

class Profiler final : public torch::profiler::impl::ProfilerStubs {
  public:
    void record(c10::DeviceIndex* device, ProfilerVoidEventStub* event, int64_t* cpu_ns) const override {
        if (device != nullptr) {
            *device = c10::cuda::current_device();
        }
        auto recorded = std::make_shared<c10::cuda::CUDAEvent>(cudaEventDefault);
        recorded->record();
        *event = std::move(recorded);
        if (cpu_ns != nullptr) {
            *cpu_ns = c10::getTime();
        }
    }

    // Microseconds.
    float elapsed(const ProfilerVoidEventStub* start, const ProfilerVoidEventStub* stop) const override {
        const auto* first = static_cast<const c10::cuda::CUDAEvent*>(start->get());
        return 1000 * first->elapsed_time(*static_cast<const c10::cuda::CUDAEvent*>(stop->get()));
    }

    void mark(const char* /*name*/) const override {}
    void rangePush(const char* /*name*/) const override {}
    void rangePop() const override {}

    bool enabled() const override { return true; }

    void onEachDevice(std::function<void(int)> body) const override {
        for (c10::DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
            const c10::cuda::CUDAGuard guard(device);
            body(device);
        }
    }

    void synchronize() const override { c10::cuda::device_synchronize(); }
};

}  // namespace

void register_profiler() {
    static Profiler profiler;
    torch::profiler::impl::registerCUDAMethods(&profiler);
}

}  // namespace cusimt::device
