// Every operator of PyTorch that has no kernel of its own on the simulated device: its CPU kernel runs on host views of
// the arguments. Device memory is host memory, so nothing is copied except results that the CPU kernel allocates.
#include "fallback.h"

#include "generator.h"
#include "host_view.h"
#include "operator_facts.h"
#include "operator_log.h"
#include "simulated_time.h"
#include "stream_touches.h"

#include "../include/simt_api.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/op_registration/adaption.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAException.h>

#include <optional>
#include <utility>

namespace cusimt::device {
namespace {

// ---- which device ---------------------------------------------------------------------------------------------------

// TorchScript's lists of optional tensors have an element type of their own, so c10 does not take them for what they are.
std::optional<c10::List<std::optional<at::Tensor>>> optional_tensors(const c10::IValue& value) {
    if (!value.isList()) {
        return std::nullopt;
    }
    auto list = value.toList();
    if (*list.elementType() != *c10::OptionalType::ofTensor()) {
        return std::nullopt;
    }
    return c10::impl::toTypedList<std::optional<at::Tensor>>(std::move(list));
}

template <typename Visit>
void for_each_tensor(const c10::IValue& value, Visit visit) {
    if (value.isTensor()) {
        visit(value.toTensor());
    } else if (value.isTensorList()) {
        for (const at::Tensor& tensor : value.toTensorList()) {
            visit(tensor);
        }
    } else if (const auto optional = optional_tensors(value)) {
        for (const std::optional<at::Tensor>& tensor : *optional) {
            visit(tensor.value_or(at::Tensor()));
        }
    }
}

[[noreturn]] void refuse_mixed_devices(const OperatorFacts& facts, c10::Device device, const at::Tensor& other,
                                       const std::string& argument) {
    TORCH_CHECK(!facts.pointwise, "Expected all tensors to be on the same device, but found at least two devices, ", device,
                " and ", other.device(), "!");
    const auto method = "wrapper_CUDA_" + facts.name.substr(facts.name.find("::") + 2);
    c10::impl::common_device_check_failure(device, other, method.c_str(), argument.c_str());
    TORCH_INTERNAL_ASSERT(false);
}

// The one device of all tensor arguments, or of a Device argument. Host scalars (0-dimensional) may be mixed in.
c10::Device common_device(const OperatorFacts& facts, const c10::FunctionSchema& schema, at::ArrayRef<c10::IValue> arguments) {
    std::optional<c10::Device> device;
    for (const auto& value : arguments) {
        for_each_tensor(value, [&](const at::Tensor& tensor) {
            if (!device && tensor.defined() && tensor.is_cuda()) {
                device = tensor.device();
            }
        });
        if (!device && value.isDevice() && value.toDevice().is_cuda()) {
            device = value.toDevice();
        }
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
        for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
            if (!tensor.defined() || !device || tensor.device() == *device) {
                return;
            }
            const bool welcome = tensor.is_cpu() && (tensor.dim() == 0 || facts.takes_host_tensors);
            if (!welcome) {
                refuse_mixed_devices(facts, *device, tensor, schema.arguments()[i].name());
            }
        });
    }
    if (!device || !device->has_index()) {
        return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(simt_get_device()));
    }
    return *device;
}

// ---- randomness -----------------------------------------------------------------------------------------------------

struct EngineState {
    at::mt19937 engine;
    std::optional<float> next_float;
    std::optional<double> next_double;

    static EngineState of(at::CPUGeneratorImpl& generator) {
        return {generator.engine(), generator.next_float_normal_sample(), generator.next_double_normal_sample()};
    }

    void install_in(at::CPUGeneratorImpl& generator) const {
        generator.set_engine(engine);
        generator.set_next_float_normal_sample(next_float);
        generator.set_next_double_normal_sample(next_double);
    }
};

// For operators that draw from the default CPU generator without being told (native_dropout): while one runs, that
// generator continues the device's sequence.
class DeviceSequence {
  public:
    explicit DeviceSequence(c10::DeviceIndex device)
        : cpu_(*at::check_generator<at::CPUGeneratorImpl>(at::detail::getDefaultCPUGenerator())),
          device_engine_(engine_of(default_generator(device))),
          own_(*at::check_generator<at::CPUGeneratorImpl>(device_engine_)),
          saved_(EngineState::of(cpu_)) {
        EngineState::of(own_).install_in(cpu_);
    }

    ~DeviceSequence() {
        EngineState::of(cpu_).install_in(own_);
        saved_.install_in(cpu_);
    }

    DeviceSequence(const DeviceSequence&) = delete;
    DeviceSequence& operator=(const DeviceSequence&) = delete;

  private:
    at::CPUGeneratorImpl& cpu_;
    at::Generator device_engine_;
    at::CPUGeneratorImpl& own_;
    EngineState saved_;
};

// ---- arguments and results ------------------------------------------------------------------------------------------

c10::IValue host_argument(const c10::IValue& value, const c10::Argument& argument, c10::Device device, HostViews& views) {
    const auto on_host = [&](const at::Tensor& tensor) {
        return tensor.defined() && tensor.is_cuda() ? views.of(tensor) : tensor;
    };
    if (value.isTensor()) {
        return on_host(value.toTensor());
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> tensors;
        for (const at::Tensor& tensor : value.toTensorList()) {
            tensors.push_back(on_host(tensor));
        }
        return tensors;
    }
    if (const auto optional = optional_tensors(value)) {
        c10::List<std::optional<at::Tensor>> tensors;
        for (const std::optional<at::Tensor>& tensor : *optional) {
            tensors.push_back(tensor.has_value() ? std::make_optional(on_host(*tensor)) : std::nullopt);
        }
        return tensors;
    }
    if (value.isDevice()) {
        return c10::Device(c10::kCPU);
    }
    if (argument.name() == "generator") {
        return engine_of(value.isGenerator() ? value.toGenerator() : default_generator(device.index()));
    }
    return value;
}

c10::IValue device_result(const c10::IValue& value, const HostViews& views) {
    if (value.isTensor()) {
        return views.to_device(value.toTensor());
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> tensors;
        for (const at::Tensor& tensor : value.toTensorList()) {
            tensors.push_back(views.to_device(tensor));
        }
        return tensors;
    }
    return value;
}

bool is_written(const c10::Argument& argument) { return argument.alias_info() != nullptr && argument.alias_info()->isWrite(); }

void record_writes(const OperatorFacts& facts, const c10::FunctionSchema& schema, at::ArrayRef<c10::IValue> arguments,
                   HostViews& views) {
    const int writer = facts.writes_memset ? SIMT_MEMSET : SIMT_LIBRARY;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (!is_written(schema.arguments()[i])) {
            continue;
        }
        for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
            if (!tensor.defined() || !tensor.is_cuda()) {
                return;
            }
            views.adopt_changes(tensor);
            if (!facts.structural) {
                mark_written(tensor, writer);
            }
        });
    }
}

void touch_all_on_stream(const OperatorFacts& facts, const c10::FunctionSchema& schema, at::ArrayRef<c10::IValue> arguments,
                         at::ArrayRef<c10::IValue> results) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const bool writes = is_written(schema.arguments()[i]);
        for_each_tensor(arguments[i], [&](const at::Tensor& tensor) { touch_on_stream(tensor, writes, facts.name.c_str()); });
    }
    for (const auto& result : results) {
        for_each_tensor(result, [&](const at::Tensor& tensor) { touch_on_stream(tensor, true, facts.name.c_str()); });
    }
}

void refuse_unless_runnable(const OperatorFacts& facts, const c10::OperatorHandle& op) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        facts.runs_here, "Could not run '", op.operator_name(), "' with arguments from the 'CUDA' backend. ",
        "This could be because the operator doesn't exist for this backend. ",
        "On the simulated device an operator runs if it has a kernel for CUDA, or is PyTorch's own with a CPU kernel.");
}

}  // namespace

void check_device_is_usable() {
    if (const int error = simt_sticky_error()) {
        c10::cuda::c10_cuda_check_implementation(error, __FILE__, __func__, __LINE__, true);
    }
}

void refuse_capture(const char* name, c10::DeviceIndex device) {
    const int error = simt_uncaptured_work(simt_current_stream(device), name);
    TORCH_CHECK(error == 0, "CUDA error: ", simt_error_string(error), ". The simulated device runs ", name,
                " at once: of a CUDA graph only kernels, copies and fills by the CUDA runtime can be nodes. ",
                "Call PyTorch's operators outside of the capture.");
}

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const auto& facts = facts_of(op);
    refuse_unless_runnable(facts, op);
    check_device_is_usable();
    const auto& schema = op.schema();
    const size_t count = schema.arguments().size();
    const std::vector<c10::IValue> arguments(stack->end() - static_cast<ptrdiff_t>(count), stack->end());
    const auto device = common_device(facts, schema, arguments);
    if (facts.dtypes != nullptr) {
        refuse_dtype(*facts.dtypes, op, arguments);
    }
    const c10::DeviceGuard device_guard(device);
    if (!facts.structural) {
        refuse_capture(facts.name.c_str(), device.index());
    }
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const DeviceMemoryAccess access;
    HostViews views(device.index());
    for (size_t i = 0; i < count; ++i) {
        (*stack)[stack->size() - count + i] = host_argument(arguments[i], schema.arguments()[i], device, views);
    }
    {
        std::optional<DeviceSequence> sequence;
        if (facts.draws_default) {
            sequence.emplace(device.index());
        }
        run_cpu_kernel(facts.dtypes, op, stack);
    }
    record_writes(facts, schema, arguments, views);
    const size_t results = schema.returns().size();
    for (size_t i = stack->size() - results; i < stack->size(); ++i) {
        (*stack)[i] = device_result((*stack)[i], views);
    }
    if (!facts.structural) {
        log_operator(facts.name, device.index());
        pass_kernel_time(device.index(), views.bytes());
        touch_all_on_stream(facts, schema, arguments,
                            at::ArrayRef<c10::IValue>(*stack).slice(stack->size() - results, results));
    }
}

}  // namespace cusimt::device
