// What a kernel says of itself when its module is loaded at run time, so that the driver's API can launch it.
#pragma once
#include <simt_api.h>

#include "cuda_runtime_api.h"

#pragma GCC visibility push(default)
SIMT_BEGIN_C
struct simt_module_kernel {
    const void* function;
    const char *kernel, *file;  // its text, and where it is defined
    int line;
    simt_untyped_launcher launcher;
    const simt_argument* parameters;  // where a buffer holds them
    size_t parameter_count;
};
void simt_announce_module_kernel(const struct simt_module_kernel* kernel);
SIMT_END_C
#pragma GCC visibility pop
