// Facts about a kernel that constrain its launches: static shared memory and __launch_bounds__.
#pragma once
#include <stddef.h>

#include "device_limits.h"
#include "simt_api.h"

namespace simt {

struct KernelFacts {
    int most_threads = kThreadsPerBlock;  // of a block: __launch_bounds__
    size_t static_shared = 0;             // bytes of its own __shared__ arrays, without those of the functions that it calls
};

// Of a kernel's address; null, and a kernel of a file without a symbol table: nothing is known.
KernelFacts kernel_facts(const void* function);
// A library was unloaded: another may be loaded to where it was.
void forget_kernel_facts();
void forget_dynamic_limits_of(const simt_module& module);  // what cudaFuncSetAttribute said of its kernels

}  // namespace simt
