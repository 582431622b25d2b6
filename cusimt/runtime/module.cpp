// Linked into every translated library: the module's identity and its dynamic shared memory. All symbols are hidden, so each
// library has its own.
#include "device_limits.h"
#include "simt_api.h"
#include "version.h"

#ifndef CUSIMT_CHECKED
#define CUSIMT_CHECKED 0
#endif

#if CUSIMT_CHECKED
#define ALIGNMENT 32768  // as of every __shared__ array (SIMT_APART): a gap lies before it
#else
#define ALIGNMENT 1024
#endif

// The most a block may have. The translator turns `extern __shared__ T x[];` into a declaration of this array.
extern "C" {
__attribute__((visibility("hidden"), aligned(ALIGNMENT))) thread_local char simt_dynamic_shared[simt::kSharedPerBlockOptin];
}

// Provided by the linker for sections whose name is an identifier; absent when the module has no such variable.
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_simt_constant[], __stop_simt_constant[];
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_simt_device[], __stop_simt_device[];
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_simt_managed[], __stop_simt_managed[];
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_simt_names[], __stop_simt_names[];
extern "C" __attribute__((weak, visibility("hidden"))) const char __start_simt_hooks[], __stop_simt_hooks[];

namespace {
char* dynamic_shared() { return simt_dynamic_shared; }

__attribute__((used)) const char* const version = &CUSIMT_VERSION_SYMBOL;
}  // namespace

extern "C" {
__attribute__((visibility("hidden"))) simt_module simt_this_module{
    .name = "module", .checked = CUSIMT_CHECKED, .dynamic_shared = dynamic_shared};
}

namespace {
__attribute__((constructor)) void announce() {
    simt_this_module.constant_begin = __start_simt_constant;
    simt_this_module.constant_end = __stop_simt_constant;
    simt_this_module.device_begin = __start_simt_device;
    simt_this_module.device_end = __stop_simt_device;
    simt_this_module.managed_begin = __start_simt_managed;
    simt_this_module.managed_end = __stop_simt_managed;
    simt_this_module.names_begin = __start_simt_names;
    simt_this_module.names_end = __stop_simt_names;
    simt_this_module.hooks_begin = __start_simt_hooks;
    simt_this_module.hooks_end = __stop_simt_hooks;
    simt_register_module(&simt_this_module);
}

__attribute__((destructor)) void withdraw() { simt_unregister_module(&simt_this_module); }
}  // namespace
