// Which functions of other libraries device code may call. All others are the host's: nvcc refuses a call of them in a kernel.
#pragma once

namespace simt {

// By the name that the dynamic linker knows. A listed function reads and writes its arguments only, or has hooks for the rest
// (hooks.cpp); what else the list allows is the simulated GPU's own.
bool is_device_function(const char* name);

// Whether a kernel may call it through a pointer too: a hook is only met where the function is called by name.
bool needs_hook(const char* name);

}  // namespace simt
