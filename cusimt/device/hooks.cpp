// The CUDA hooks of PyTorch's CPU side: availability, device count, generators, pinned memory.
#include "hooks.h"

#include "allocator.h"
#include "generator.h"
#include "pinned_memory.h"

#include "../include/simt_api.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDAFunctions.h>

namespace cusimt::device {
namespace {

// Python's default generators must be the very objects behind torch.cuda.manual_seed; PyTorch's Python face can only
// ask for new ones. While this is set on a thread, a "new" generator is the device's default one.
thread_local bool hand_out_default_generators = false;

}  // namespace

struct Hooks final : at::CUDAHooksInterface {
    explicit Hooks(at::CUDAHooksArgs /*unused*/) {}

    void init() const override {}

    bool hasCUDA() const override { return true; }

    bool hasCUDART() const override { return true; }

    bool isBuilt() const override { return true; }

    bool isAvailable() const override { return true; }

    bool hasPrimaryContext(c10::DeviceIndex device) const override { return c10::cuda::hasPrimaryContext(device); }

    c10::DeviceIndex deviceCount() const override { return c10::cuda::device_count(); }

    int getNumGPUs() const override { return c10::cuda::device_count(); }

    c10::DeviceIndex current_device() const override { return c10::cuda::current_device(); }

    c10::DeviceIndex getCurrentDevice() const override { return c10::cuda::current_device(); }

    void setCurrentDevice(c10::DeviceIndex device) const override { c10::cuda::set_device(device); }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override { return c10::cuda::ExchangeDevice(device); }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
        return c10::cuda::MaybeExchangeDevice(device);
    }

    const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override { return default_generator(device); }

    at::Generator getNewGenerator(c10::DeviceIndex device) const override {
        return hand_out_default_generators ? default_generator(device) : new_generator(device);
    }

    c10::Device getDeviceFromPtr(void* data) const override {
        const int device = simt_pointer_device(data);
        TORCH_CHECK(device >= 0, "The specified pointer resides on host memory and is not registered with any CUDA device.");
        return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device));
    }

    bool isPinnedPtr(const void* data) const override { return is_pinned(data); }

    c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory(); }

    c10::Allocator* getCUDADeviceAllocator() const override { return &arena(); }

    long versionCUDART() const override { return CUDART_VERSION; }

    std::string showConfig() const override { return "  - CUDA Runtime 13.0, simulated on the CPU by cusimt\n"; }

    void deviceSynchronize(c10::DeviceIndex device) const override {
        c10::DeviceGuard guard(c10::Device(c10::kCUDA, device));
        c10::cuda::device_synchronize();
    }
};

}  // namespace cusimt::device

extern "C" void simt_hand_out_default_generators(int on) { cusimt::device::hand_out_default_generators = on != 0; }

namespace cusimt::device {

void register_hooks() {
    at::CUDAHooksRegistry()->Register(
        "CUDAHooks",
        [](at::CUDAHooksArgs args) -> std::unique_ptr<at::CUDAHooksInterface> { return std::make_unique<Hooks>(args); },
        c10::REGISTRY_PREFERRED);
}

}  // namespace cusimt::device
