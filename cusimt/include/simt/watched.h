// memcpy, memmove and memset in the checked build, in all their spellings.
//
// g++ writes a copy or a fill of constant size out as instructions, after instrumentation, so that no hook would see it.
// Sizes of one instruction become an access, which has a hook; all others stay calls, which the linker sends to the hooks.
// clang puts its hooks in before it writes anything out.
#pragma once
#include <string.h>
#include <strings.h>

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define SIMT_WATCHED extern inline __attribute__((gnu_inline, always_inline, artificial))
#define SIMT_IS_ONE_ACCESS(bytes) (__builtin_constant_p(bytes) && (bytes) <= 16 && ((bytes) & ((bytes) - 1)) == 0)

extern "C" {
void* simt_called_memcpy(void*, const void*, size_t) noexcept __asm__("memcpy");
void* simt_called_memmove(void*, const void*, size_t) noexcept __asm__("memmove");
void* simt_called_memset(void*, int, size_t) noexcept __asm__("memset");

SIMT_WATCHED void* memcpy(void* to, const void* from, size_t bytes) noexcept {
    if (SIMT_IS_ONE_ACCESS(bytes)) return __builtin_memcpy(to, from, bytes);
    return simt_called_memcpy(to, from, bytes);
}
SIMT_WATCHED void* memmove(void* to, const void* from, size_t bytes) noexcept {
    if (SIMT_IS_ONE_ACCESS(bytes)) return __builtin_memmove(to, from, bytes);
    return simt_called_memmove(to, from, bytes);
}
SIMT_WATCHED void* memset(void* to, int value, size_t bytes) noexcept { return simt_called_memset(to, value, bytes); }
}

#undef SIMT_WATCHED
#undef SIMT_IS_ONE_ACCESS
// With parentheses: `__has_builtin(__builtin_memcpy)` is to keep its meaning.
#define __builtin_memcpy(...) ::memcpy(__VA_ARGS__)
#define __builtin_memmove(...) ::memmove(__VA_ARGS__)
#define __builtin_memset(...) ::memset(__VA_ARGS__)
#endif
