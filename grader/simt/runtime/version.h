// A library with kernels and the runtime below it share structures: they have to be of one version. Both mention a symbol
// that has the version in its name (native.py defines it), so the loader refuses a library of another one. It prints the
// name, which therefore says what to do.
#pragma once

#ifndef CU2GRAD_VERSION_SYMBOL
#define CU2GRAD_VERSION_SYMBOL cu2grad_runtime
#endif

extern "C" __attribute__((visibility("default"))) const char CU2GRAD_VERSION_SYMBOL;
