// cuInit, the contexts, and which one is current.
#include "driver_contexts.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "arena.h"
#include "driver_modules.h"
#include "execution.h"

namespace simt {

namespace {
std::atomic<bool> initialised{false};
std::mutex contexts_lock;
std::vector<std::unique_ptr<CUctx_st>>& contexts() {
    static auto& made = *new std::vector<std::unique_ptr<CUctx_st>>;  // never destroyed: threads outlive the program's end
    return made;
}
CUctx_st primary[kDevices] = {{0, true}, {1, true}};
thread_local std::vector<CUcontext> stack;

bool is_primary(CUcontext context) { return context >= &primary[0] && context < &primary[kDevices]; }

void follow_current() {
    if (CUcontext current = current_context()) simt_set_device(current->device);
}
}  // namespace

void use_primary_context() {
    initialised = true;
    if (stack.empty()) stack.push_back(&primary[current_device()]);
}

void use_primary_context_of(int device) {
    initialised = true;
    if (stack.empty()) stack.push_back(&primary[device]);
    else if (is_primary(stack.back())) stack.back() = &primary[device];
}

void leave_contexts() {
    initialised = true;
    if (!stack.empty()) stack.pop_back();
    stack.push_back(&primary[current_device()]);
}

bool is_driver_initialised() { return initialised; }
CUcontext current_context() { return stack.empty() ? nullptr : stack.back(); }
CUcontext primary_context(int device) { return &primary[device]; }

bool is_context(CUcontext context) {
    if (is_primary(context)) return true;
    std::lock_guard lock(contexts_lock);
    for (const auto& each : contexts()) {
        if (context == each.get()) return true;
    }
    return false;
}

CUresult refuse_driver_call() {
    if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    if (!is_context(current_context())) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return static_cast<CUresult>(sticky_error());
}

}  // namespace simt

using namespace simt;

namespace {
// Of calls that need no context.
CUresult refuse_before_contexts(bool has_arguments) {
    if (!is_driver_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    return has_arguments ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult refuse_device(bool has_arguments, CUdevice device) {
    if (CUresult refused = refuse_before_contexts(has_arguments)) return refused;
    return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
}  // namespace

extern "C" {
CUresult cuInit(unsigned int flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device) {
    if (CUresult refused = refuse_device(context, device)) return refused;
    std::lock_guard lock(contexts_lock);
    contexts().push_back(std::make_unique<CUctx_st>(CUctx_st{device, false, flags}));
    *context = contexts().back().get();
    stack.push_back(*context);
    follow_current();
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags, CUdevice device) {
    if (parameters && (parameters->numExecAffinityParams || parameters->cigParams)) return CUDA_ERROR_NOT_SUPPORTED;
    return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context) {
    if (CUresult refused = refuse_before_contexts(context)) return refused;
    if (!is_context(context) || context->is_primary) return CUDA_ERROR_INVALID_CONTEXT;
    unload_modules_of(context);
    if (current_context() == context) stack.pop_back();
    follow_current();
    std::lock_guard lock(contexts_lock);
    std::erase_if(contexts(), [&](const auto& each) { return each.get() == context; });
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    if (CUresult refused = refuse_before_contexts(true)) return refused;
    if (!is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
    stack.push_back(context);
    follow_current();
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
    if (CUresult refused = refuse_before_contexts(true)) return refused;
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = stack.back();
    stack.pop_back();
    follow_current();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    if (CUresult refused = refuse_before_contexts(true)) return refused;
    if (context && !is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(context);
    follow_current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    if (CUresult refused = refuse_before_contexts(context)) return refused;
    *context = current_context();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    if (CUresult refused = refuse_before_contexts(device)) return refused;
    if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    *device = current_context()->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int* flags) {
    if (CUresult refused = refuse_before_contexts(flags)) return refused;
    if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    *flags = current_context()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
    if (CUresult refused = refuse_before_contexts(version)) return refused;
    if (!is_context(context ? context : current_context())) return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;  // of every driver since CUDA 3.2
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (CUresult refused = refuse_device(context, device)) return refused;
    std::lock_guard lock(contexts_lock);
    *context = &primary[device];
    ++primary[device].uses;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    if (CUresult refused = refuse_device(true, device)) return refused;
    std::unique_lock lock(contexts_lock);
    if (primary[device].uses == 0) return CUDA_ERROR_INVALID_CONTEXT;
    bool was_last = --primary[device].uses == 0;
    lock.unlock();
    if (was_last) unload_modules_of(&primary[device]);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    if (CUresult refused = refuse_device(true, device)) return refused;
    unload_modules_of(&primary[device]);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
    if (CUresult refused = refuse_device(true, device)) return refused;
    primary[device].flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
    if (CUresult refused = refuse_device(flags && active, device)) return refused;
    std::lock_guard lock(contexts_lock);
    *flags = primary[device].flags;
    *active = primary[device].uses > 0;
    return CUDA_SUCCESS;
}
}
