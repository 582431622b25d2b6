// printf of a library with kernels that nothing checks. The linker sends the library's calls here (--wrap): what kernels print
// is an effect, so it waits for the block's turn. A checked library has hooks for it (library_hooks.cpp).
#include <stdarg.h>
#include <stdio.h>

#include "simt_api.h"

#define HIDDEN __attribute__((visibility("hidden"), section("simt_hooks")))

extern "C" {
int __real_vprintf(const char*, va_list);
int __real_puts(const char*);
int __real_putchar(int);

HIDDEN int __wrap_vprintf(const char* format, va_list arguments) {
    simt_await_turn(nullptr);
    return __real_vprintf(format, arguments);
}

HIDDEN int __wrap_printf(const char* format, ...) {
    simt_await_turn(nullptr);
    va_list arguments;
    va_start(arguments, format);
    int printed = __real_vprintf(format, arguments);
    va_end(arguments);
    return printed;
}

// What compilers make of a printf.
HIDDEN int __wrap_puts(const char* line) {
    simt_await_turn(nullptr);
    return __real_puts(line);
}

HIDDEN int __wrap_putchar(int character) {
    simt_await_turn(nullptr);
    return __real_putchar(character);
}
}
