#include "generator.h"

#include "allocator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/cuda/CUDAFunctions.h>

#include <array>

namespace cu2grad::device {
namespace {

// A device generator owns a CPU engine of its own, so that the streams of the CPU and of each device are independent.
// The numbers are reproducible, and are not those of a GPU's Philox engine.
class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  DeviceGenerator(c10::DeviceIndex device, at::Generator engine)
      : GeneratorImpl(c10::Device(c10::kCUDA, device), c10::DispatchKeySet(c10::DispatchKey::CUDA)),
        engine_(std::move(engine)) {}

  const at::Generator& engine() const {
    return engine_;
  }

  void set_current_seed(uint64_t seed) override {
    engine_.set_current_seed(seed);
  }

  uint64_t current_seed() const override {
    return engine_.current_seed();
  }

  uint64_t seed() override {
    return engine_.seed();
  }

  void set_offset(uint64_t offset) override {
    engine_.set_offset(offset);
  }

  uint64_t get_offset() const override {
    return engine_.get_offset();
  }

  void set_state(const c10::TensorImpl& new_state) override {
    engine_.unsafeGetGeneratorImpl()->set_state(new_state);
  }

  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return engine_.unsafeGetGeneratorImpl()->get_state();
  }

 private:
  DeviceGenerator* clone_impl() const override {
    return new DeviceGenerator(device().index(), engine_.clone());
  }

  at::Generator engine_;
};

c10::DeviceIndex resolved(c10::DeviceIndex device) {
  return device == -1 ? c10::cuda::current_device() : device;
}

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

}  // namespace cu2grad::device
