// assert, __trap, clocks and __nanosleep. `printf` and `assert` themselves come from <stdio.h> and <assert.h>, as with nvcc:
// this header must not include them.
#pragma once
#include <simt_api.h>
#include <stdlib.h>
#include <time.h>

#include "simt/builtin_variables.h"
#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

extern "C" void simt_host_assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept
    __asm__("__assert_fail") __attribute__((noreturn, visibility("default")));

// What a failed `assert` calls in code that nvcc would compile: on the device it stops the kernel, on the host the process.
SIMT_HOST inline void assertion_failed(const char* expression, const char* file, unsigned line, const char* function) noexcept {
    if (simt_on_device()) simt_device_assert(expression, file, line, function);
    simt_host_assert_fail(expression, file, line, function);
}

// What the translator makes of `#ifdef __CUDA_ARCH__` in a function that host and device share.
SIMT_INLINE constexpr bool on_device() { return !__builtin_is_constant_evaluated() && simt_on_device(); }

}  // namespace simt
#pragma GCC visibility pop

extern "C"
    __attribute__((noreturn, visibility("hidden"))) inline void simt_assert_fail(const char* expression, const char* file,
                                                                                 unsigned line, const char* function) noexcept {
    simt::assertion_failed(expression, file, line, function);
    abort();
}
// <assert.h>, which may be included any number of times, calls this name.
#define __assert_fail simt_assert_fail

SIMT_INLINE void __trap(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { simt_trap("__trap", file, line); }
SIMT_INLINE void __brkpt() {}
SIMT_INLINE long long clock64() { return simt_clock(); }
// CUDA has a function of that name on the device, and <time.h> another one for the host: the caller decides.
extern "C" clock_t clock(void) noexcept __asm__("simt_clock_of_caller");
SIMT_INLINE void __nanosleep(unsigned int) { simt_clock(); }  // others may run meanwhile
SIMT_INLINE void __prof_trigger(int) {}
