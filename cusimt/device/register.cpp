// Puts the simulated device into PyTorch: allocator, device guard, hooks and kernels for DeviceType::CUDA.
#include "allocator.h"
#include "copy.h"
#include "fallback.h"
#include "hooks.h"
#include "profiler.h"
#include "structural.h"
#include "substitutes.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/cuda/impl/CUDAGuardImpl.h>
#include <torch/library.h>

#include <vector>

namespace cusimt::device {
namespace {

constexpr auto kKey = c10::DispatchKey::CUDA;

// Composite operators that choose by device among kernels, of which some exist for CUDA only; the CPU's choice serves.
// And losses that a composite kernel would compute through their out= variant, which warns that it resizes.
const c10::OperatorName kWholeOnHost[] = {
    {"aten::convolution", ""},    {"aten::convolution_backward", ""},
    {"aten::ldexp", "Tensor"},    {"aten::ldexp", "out"},
    {"aten::ldexp_", ""},         {"aten::mse_loss", ""},
    {"aten::smooth_l1_loss", ""},
};

// Says nothing while kernels of a CUDA build of PyTorch are replaced: that is the purpose.
class Silence final : public c10::WarningHandler {
  public:
    void process(const c10::Warning& /*warning*/) override {}
};

bool is_aten(const c10::OperatorName& name) { return name.name.rfind("aten::", 0) == 0; }

// Derivatives of a composite implicit operator come from the operators that it calls: it cannot have a kernel.
bool may_have_a_kernel(c10::Dispatcher& dispatcher, const c10::OperatorName& name) {
    const auto op = dispatcher.findOp(name);
    return op.has_value() && op->hasSchema() && !op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
}

// Operators with a CPU kernel that would not be found: on a device that registers nothing, a composite kernel comes
// first, and an in-place operator goes through its out= variant. As on real CUDA, the operator that was called should
// run, and be the one in the log.
bool is_shadowed(c10::Dispatcher& dispatcher, const c10::OperatorName& name) {
    const auto op = dispatcher.findOp(name);
    if (!op.has_value()) {
        return false;
    }
    const bool in_place = name.name.back() == '_';
    return op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
           op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) ||
           (in_place && op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional));
}

void run_explicitly_on_host() {
    auto& dispatcher = c10::Dispatcher::singleton();
    static auto* kept = new std::vector<c10::RegistrationHandleRAII>;
    const auto on_host = [&](const c10::OperatorName& name) {
        kept->push_back(dispatcher.registerImpl(name, kKey, c10::KernelFunction::makeFromBoxedFunction<&run_on_host>(),
                                                std::nullopt, nullptr, "cusimt"));
    };
    for (const auto& name : dispatcher.getRegistrationsForDispatchKey(kKey)) {  // a CUDA build's kernels
        if (is_aten(name)) {
            on_host(name);
        }
    }
    for (const auto& name : dispatcher.getRegistrationsForDispatchKey(c10::DispatchKey::CPU)) {
        if (is_aten(name) && is_shadowed(dispatcher, name)) {
            on_host(name);
        }
    }
    for (const auto& name : kWholeOnHost) {
        if (may_have_a_kernel(dispatcher, name)) {
            on_host(name);
        }
    }
}

void register_kernels() {
    static auto* own = new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
    own->impl("empty.memory_format", &empty);
    own->impl("empty_strided", &empty_strided);
    own->impl("_efficientzerotensor", &efficient_zeros);
    own->impl("copy_", &copy_);
    own->impl("_local_scalar_dense", &local_scalar_dense);
    own->impl("view", &view);
    own->impl("as_strided", &as_strided);
    own->impl("set_.source_Storage", &set_storage);
    own->impl("set_.source_Storage_storage_offset", &set_storage_strided);
    own->impl("set_.source_Tensor", &set_tensor);
    own->impl("set_", &set_nothing);
    own->impl("record_stream", &record_stream);
    register_substitutes(*own);
    static auto* rest = new torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
    rest->fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

}  // namespace
}  // namespace cusimt::device

// Call once: after libtorch_cuda, if the build has one, and before torch._C, whose loading asks the hooks a question.
extern "C" void simt_register_device() {
    using namespace cusimt::device;
    static Silence silence;
    const c10::WarningUtils::WarningHandlerGuard quiet(&silence);
    static c10::cuda::impl::CUDAGuardImpl guard;
    c10::impl::registerDeviceGuard(c10::kCUDA, &guard);
    c10::SetAllocator(c10::kCUDA, &arena(), /*priority=*/255);
    register_hooks();
    register_profiler();
    run_explicitly_on_host();
    register_kernels();
}
