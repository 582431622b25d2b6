// The functions that a library with kernels imports from other libraries.
#pragma once
#include <link.h>
#include <stdint.h>

namespace simt {

// Puts a guard before every function of the library that only the host may call. The library has just been loaded, and all its
// imports are bound.
void guard_imports(const dl_phdr_info& library);

// Whether a kernel may jump to the address through a pointer: a function that it may call, or a guard, which knows the name of
// what is behind it.
bool is_callable_import(uintptr_t address);

}  // namespace simt
