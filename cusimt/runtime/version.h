// A library with kernels and the runtime below it share structures: they have to be of one version. Both mention a symbol
// that has the version in its name (native.py defines it), so the loader refuses a library of another one. It prints the
// name, which therefore says what to do.
#pragma once

#ifndef CUSIMT_VERSION_SYMBOL
#define CUSIMT_VERSION_SYMBOL cusimt_runtime
#endif

extern "C" __attribute__((visibility("default"))) const char CUSIMT_VERSION_SYMBOL;
