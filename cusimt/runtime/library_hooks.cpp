// Hooks for functions of the C library that CUDA has as well and that write through a pointer. The linker sends the module's
// calls here (--wrap), as it does those of memcpy (hooks.cpp).
#include <stdarg.h>

#include "access_state.h"
#include "host_code.h"

using namespace simt;

#define HIDDEN __attribute__((visibility("hidden"), section("simt_hooks")))
#define HERE __builtin_return_address(0)

// ---- functions of libm that write through a pointer; CUDA has all of them ---------------------------------------------------

#define WRITES_SECOND(name, T, P)                         \
    extern "C" T __real_##name(T, P*);                    \
    extern "C" HIDDEN T __wrap_##name(T x, P* result) {   \
        simt_check_range(result, sizeof(P), WRITE, HERE); \
        return __real_##name(x, result);                  \
    }
#define WRITES_THIRD(name, T)                                    \
    extern "C" T __real_##name(T, T, int*);                      \
    extern "C" HIDDEN T __wrap_##name(T x, T y, int* quotient) { \
        simt_check_range(quotient, sizeof(int), WRITE, HERE);    \
        return __real_##name(x, y, quotient);                    \
    }
#define WRITES_BOTH(name, T)                                        \
    extern "C" void __real_##name(T, T*, T*);                       \
    extern "C" HIDDEN void __wrap_##name(T x, T* sine, T* cosine) { \
        simt_check_range(sine, sizeof(T), WRITE, HERE);             \
        simt_check_range(cosine, sizeof(T), WRITE, HERE);           \
        __real_##name(x, sine, cosine);                             \
    }
WRITES_SECOND(modf, double, double)
WRITES_SECOND(modff, float, float)
WRITES_SECOND(frexp, double, int)
WRITES_SECOND(frexpf, float, int)
WRITES_THIRD(remquo, double)
WRITES_THIRD(remquof, float)
WRITES_BOTH(sincos, double)
WRITES_BOTH(sincosf, float)

// ---- printf, whose format may ask for a store -------------------------------------------------------------------------------

extern "C" {
int __real_vprintf(const char*, va_list);

// The list of arguments is read from a copy: its reader counts in it, and it may be anywhere.
HIDDEN int __wrap_vprintf(const char* format, va_list arguments) {
    simt_check_format(format, HERE);
    va_list own;
    va_copy(own, arguments);
    int printed = __real_vprintf(format, own);
    va_end(own);
    return printed;
}

HIDDEN int __wrap_printf(const char* format, ...) {
    simt_check_format(format, HERE);
    va_list arguments;
    va_start(arguments, format);
    int printed = __real_vprintf(format, arguments);
    va_end(arguments);
    return printed;
}
}
