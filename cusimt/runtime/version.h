// A library with kernels and the runtime share structures, so both must be of one version. Both refer to a symbol whose name
// contains the version (cusimt/compiler/libraries.py defines it), so the loader refuses a library of another one. It prints
// the symbol's name, which therefore says what to do.
#pragma once

#ifndef CUSIMT_VERSION_SYMBOL
#define CUSIMT_VERSION_SYMBOL cusimt_runtime
#endif

extern "C" __attribute__((visibility("default"))) const char CUSIMT_VERSION_SYMBOL;
