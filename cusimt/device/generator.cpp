// Generators of the device: a CPU engine that PyTorch's operators draw from, and the Philox state of kernels.
#include "generator.h"

#include "allocator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Utils.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAFunctions.h>

#include <array>
#include <cstring>

namespace cusimt::device {
namespace {

at::Tensor bytes(int64_t count) {
    return at::Tensor(at::detail::empty_cpu({count}, at::kByte, std::nullopt, std::nullopt, std::nullopt, std::nullopt));
}

// A device generator owns a CPU engine of its own, so that the streams of the CPU and of each device are independent, and
// beside it the state of Philox that kernels ask for. PyTorch's own operators draw from the engine: their numbers are
// reproducible, and are not those of a GPU.
class DeviceGenerator final : public at::CUDAGeneratorImpl {
  public:
    DeviceGenerator(c10::DeviceIndex device, at::Generator engine) : CUDAGeneratorImpl(device), engine_(std::move(engine)) {}

    const at::Generator& engine() const { return engine_; }

    void set_current_seed(uint64_t seed) override {
        CUDAGeneratorImpl::set_current_seed(seed);
        engine_.set_current_seed(seed);
    }

    uint64_t seed() override {
        const auto seed = engine_.seed();
        CUDAGeneratorImpl::set_current_seed(seed);
        return seed;
    }

    // The engine's state, followed by that of Philox.
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
        const auto engine = engine_.get_state(), philox = at::Tensor(CUDAGeneratorImpl::get_state());
        auto whole = bytes(engine.numel() + philox.numel());
        auto* target = whole.mutable_data_ptr<uint8_t>();
        std::memcpy(target, engine.const_data_ptr(), engine.numel());
        std::memcpy(target + engine.numel(), philox.const_data_ptr(), philox.numel());
        return whole.getIntrusivePtr();
    }

    void set_state(const c10::TensorImpl& new_state) override {
        at::detail::check_rng_state(new_state);
        auto engine = engine_.get_state(), philox = at::Tensor(CUDAGeneratorImpl::get_state());
        TORCH_CHECK(new_state.numel() == engine.numel() + philox.numel(), "RNG state is wrong size");
        const auto* source = static_cast<const uint8_t*>(new_state.data());
        std::memcpy(engine.mutable_data_ptr(), source, engine.numel());
        std::memcpy(philox.mutable_data_ptr(), source + engine.numel(), philox.numel());
        engine_.set_state(engine);
        CUDAGeneratorImpl::set_state(*philox.unsafeGetTensorImpl());
    }

  private:
    DeviceGenerator* clone_impl() const override {
        auto* copy = new DeviceGenerator(device().index(), engine_.clone());
        copy->CUDAGeneratorImpl::set_current_seed(current_seed());
        copy->set_philox_offset_per_thread(philox_offset_per_thread());
        return copy;
    }

    at::Generator engine_;
};

c10::DeviceIndex resolved(c10::DeviceIndex device) { return device == -1 ? c10::cuda::current_device() : device; }

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex device) {
    static auto* all = [] {
        auto* generators = new std::array<at::Generator, kMostDevices>;
        for (c10::DeviceIndex index = 0; index < c10::cuda::device_count(); ++index) {
            (*generators)[index] = new_generator(index);
        }
        return generators;
    }();
    return all->at(resolved(device));
}

at::Generator new_generator(c10::DeviceIndex device) {
    return at::make_generator<DeviceGenerator>(resolved(device), at::detail::createCPUGenerator());
}

at::Generator engine_of(const at::Generator& device_generator) {
    auto* generator = dynamic_cast<DeviceGenerator*>(device_generator.unsafeGetGeneratorImpl());
    TORCH_CHECK(generator != nullptr, "Expected a 'cuda' device type for generator but found '",
                device_generator.device().type(), "'");
    return generator->engine();
}

}  // namespace cusimt::device
