// Facts about a kernel that constrain its launches: static shared memory and __launch_bounds__.
#pragma once
#include <stddef.h>

#include "device_limits.h"

namespace simt {

struct KernelFacts {
    int most_threads = kThreadsPerBlock;  // of a block: __launch_bounds__
    size_t static_shared = 0;             // bytes of its own __shared__ arrays, without those of the functions that it calls
};

// Of a kernel's address; null, and a kernel of a file without a symbol table: nothing is known.
KernelFacts kernel_facts(const void* function);
// A library was unloaded: another may be loaded to where it was.
void forget_kernel_facts();

}  // namespace simt
