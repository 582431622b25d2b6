// Unwinds the stack of a fiber to the calls that led to an access.
#include "callers.h"

#include <unwind.h>

#include "execution.h"
#include "modules.h"

namespace simt {

namespace {
constexpr size_t kMostFrames = 64;  // of the runtime, the hooks and the program together
constexpr size_t kMostCallers = 8;

struct Walk {
    const void* call_site;
    const simt_module& module;
    std::vector<const void*> callers{};
    size_t frames = 0;
    bool passed = false;  // the frame of `call_site`
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
    Walk& walk = *static_cast<Walk*>(data);
    uintptr_t address = _Unwind_GetIP(context);
    if (walk.passed) {
        if (!in_program(walk.module, address - 1) || walk.callers.size() == kMostCallers) return _URC_NORMAL_STOP;
        walk.callers.push_back(reinterpret_cast<const void*>(address));
    }
    walk.passed = walk.passed || address == reinterpret_cast<uintptr_t>(walk.call_site);
    return ++walk.frames < kMostFrames ? _URC_NO_REASON : _URC_NORMAL_STOP;
}
}  // namespace

std::vector<const void*> callers_of(const void* call_site) {
    const simt_launch* launch = simt_access->on_device ? execution.launch : nullptr;
    if (!call_site || !launch || !launch->module) return {};
    Walk walk{call_site, *launch->module};
    _Unwind_Backtrace(visit, &walk);
    return walk.callers;
}

}  // namespace simt
