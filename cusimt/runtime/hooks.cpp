// The access hooks: -fsanitize=thread puts a call before every load and store of instrumented code, and these are the functions
// it calls. Compiled into every checked module, hidden, so that a real ThreadSanitizer elsewhere is not disturbed and the calls
// need no indirection. Not itself instrumented.
#include <stdint.h>
#include <string.h>

#include "access_state.h"
#include "fast_path.h"
#include "simt_api.h"

using namespace simt;

#define HIDDEN __attribute__((visibility("hidden"), section("simt_hooks")))
#define HOOK extern "C" HIDDEN void
#define HERE __builtin_return_address(0)

namespace {
template <unsigned bytes, int kind, bool aligned>
inline __attribute__((always_inline)) void access(const volatile void* pointer, const void* pc) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    const AccessState& state = *simt_access;
    uintptr_t offset = address - state.arena_begin;
    bool misaligned = aligned && address % bytes != 0;
    if (offset < state.arena_bytes) {
        if (misaligned || !passes<bytes, kind>(state.marks + offset)) {
            simt_check_global(address, bytes, kind, misaligned, pc);
        }
        if (state.cells && !is_unshared<bytes, kind>(state, offset, pc)) simt_check_race(address, bytes, kind, pc);
        return;
    }
    for (const auto& near : state.near) {
        uintptr_t at = address - near.begin;
        if (at >= near.bytes) continue;
        bool passes =
            !misaligned && near.bytes - at >= bytes && is_ordered<bytes, kind>(state, address - state.shared_begin, pc);
        if (!passes) simt_check_shared(address, bytes, kind, misaligned, pc);
        return;
    }
    if (address - state.quiet_begin < state.quiet_bytes) {
        return;
    } else if (address - state.shared_begin < state.shared_bytes) {
        simt_check_shared(address, bytes, kind, misaligned, pc);
    } else {
        simt_check_other(address, bytes, misaligned ? kind | MISALIGNED : kind, pc);
    }
}
}  // namespace

namespace {
// A volatile access may be a flag, by which threads tell one another something: nothing about it is usual.
template <unsigned bytes, bool aligned>
inline void volatile_access(const volatile void* pointer, int kind, const void* pc) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    const AccessState& state = *simt_access;
    if (address - state.quiet_begin < state.quiet_bytes) return;
    simt_check_volatile(address, bytes, aligned && address % bytes != 0 ? kind | MISALIGNED : kind, pc);
}
}  // namespace

#define HOOKS(bytes)                                                                                      \
    HOOK __tsan_read##bytes(void* p) { access<bytes, READ, true>(p, HERE); }                              \
    HOOK __tsan_write##bytes(void* p) { access<bytes, WRITE, true>(p, HERE); }                            \
    HOOK __tsan_unaligned_read##bytes(void* p) { access<bytes, READ, false>(p, HERE); }                   \
    HOOK __tsan_unaligned_write##bytes(void* p) { access<bytes, WRITE, false>(p, HERE); }                 \
    HOOK __tsan_read_write##bytes(void* p) { access<bytes, READ | WRITE, true>(p, HERE); }                \
    HOOK __tsan_unaligned_read_write##bytes(void* p) { access<bytes, READ | WRITE, false>(p, HERE); }     \
    HOOK __tsan_volatile_read##bytes(void* p) { volatile_access<bytes, true>(p, READ, HERE); }            \
    HOOK __tsan_volatile_write##bytes(void* p) { volatile_access<bytes, true>(p, WRITE, HERE); }          \
    HOOK __tsan_unaligned_volatile_read##bytes(void* p) { volatile_access<bytes, false>(p, READ, HERE); } \
    HOOK __tsan_unaligned_volatile_write##bytes(void* p) { volatile_access<bytes, false>(p, WRITE, HERE); }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

namespace {
// An access of any size, such as that of a structure. Its address needs no alignment.
template <int kind>
inline void range_access(const volatile void* pointer, uintptr_t bytes, const void* pc) {
    const AccessState& state = *simt_access;
    uintptr_t offset = reinterpret_cast<uintptr_t>(pointer) - state.quiet_begin;
    if (offset < state.quiet_bytes && bytes <= state.quiet_bytes - offset) return;
    switch (bytes) {
        case 1: return access<1, kind, false>(pointer, pc);
        case 2: return access<2, kind, false>(pointer, pc);
        case 4: return access<4, kind, false>(pointer, pc);
        case 8: return access<8, kind, false>(pointer, pc);
        case 16: return access<16, kind, false>(pointer, pc);
        default: simt_check_range(const_cast<const void*>(pointer), bytes, kind, pc);
    }
}
}  // namespace

HOOK __tsan_read_range(void* p, uintptr_t bytes) { range_access<READ>(p, bytes, HERE); }
HOOK __tsan_write_range(void* p, uintptr_t bytes) { range_access<WRITE>(p, bytes, HERE); }
HOOK __tsan_vptr_read(void** p) { access<8, READ, true>(p, HERE); }
HOOK __tsan_vptr_update(void** p, void*) { access<8, WRITE, true>(p, HERE); }
HOOK __tsan_func_entry(void*) {}
HOOK __tsan_func_exit() {}
HOOK __tsan_init() {}

// ---- std::atomic and the __atomic builtins -------------------------------------------------------------------------------

namespace {
constexpr int kStrongest = __ATOMIC_SEQ_CST;

template <typename T>
inline __attribute__((always_inline)) void atomic_access(const volatile T* p, int kind, int order, const void* pc) {
    if (kind & WRITE && order >= __ATOMIC_RELEASE) simt_fence(2);
    simt_check_atomic(const_cast<const T*>(p), sizeof(T), kind, pc);
    if (kind & READ) simt_spin_on(const_cast<const T*>(p), sizeof(T), pc);
}
}  // namespace

#define ATOMIC_HOOK(T) extern "C" HIDDEN T
#define ATOMIC_UPDATE(bits, T, name)                                                 \
    ATOMIC_HOOK(T) __tsan_atomic##bits##_##name(volatile T* p, T value, int order) { \
        atomic_access(p, READ | WRITE, order, HERE);                                 \
        return __atomic_##name(p, value, kStrongest);                                \
    }
#define ATOMIC_HOOKS(bits, T)                                                                                             \
    ATOMIC_HOOK(T) __tsan_atomic##bits##_load(const volatile T* p, int order) {                                           \
        atomic_access(p, READ, order, HERE);                                                                              \
        return __atomic_load_n(p, kStrongest);                                                                            \
    }                                                                                                                     \
    HOOK __tsan_atomic##bits##_store(volatile T* p, T value, int order) {                                                 \
        atomic_access(p, WRITE, order, HERE);                                                                             \
        __atomic_store_n(p, value, kStrongest);                                                                           \
    }                                                                                                                     \
    ATOMIC_HOOK(T) __tsan_atomic##bits##_exchange(volatile T* p, T value, int order) {                                    \
        atomic_access(p, READ | WRITE, order, HERE);                                                                      \
        return __atomic_exchange_n(p, value, kStrongest);                                                                 \
    }                                                                                                                     \
    ATOMIC_HOOK(int) __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int order, int) { \
        atomic_access(p, READ | WRITE | SELECTING, order, HERE);                                                          \
        return __atomic_compare_exchange_n(p, expected, value, false, kStrongest, kStrongest);                            \
    }                                                                                                                     \
    ATOMIC_HOOK(int) __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int order, int) {   \
        atomic_access(p, READ | WRITE | SELECTING, order, HERE);                                                          \
        return __atomic_compare_exchange_n(p, expected, value, false, kStrongest, kStrongest);                            \
    }                                                                                                                     \
    ATOMIC_HOOK(T) __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int order, int) {       \
        atomic_access(p, READ | WRITE | SELECTING, order, HERE);                                                          \
        __atomic_compare_exchange_n(p, &expected, value, false, kStrongest, kStrongest);                                  \
        return expected;                                                                                                  \
    }                                                                                                                     \
    ATOMIC_UPDATE(bits, T, fetch_add)                                                                                     \
    ATOMIC_UPDATE(bits, T, fetch_sub)                                                                                     \
    ATOMIC_UPDATE(bits, T, fetch_and)                                                                                     \
    ATOMIC_UPDATE(bits, T, fetch_or)                                                                                      \
    ATOMIC_UPDATE(bits, T, fetch_xor)                                                                                     \
    ATOMIC_UPDATE(bits, T, fetch_nand)
ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)

HOOK __tsan_atomic_thread_fence(int order) {
    if (order >= __ATOMIC_RELEASE) simt_fence(2);
    __atomic_thread_fence(kStrongest);
}
HOOK __tsan_atomic_signal_fence(int) {}

// ---- memcpy, memmove and memset: library code, not instrumented. The linker sends the module's calls here (--wrap), and
// simt/watched.h keeps g++ from making anything else of them. ---------------------------------------------------------------

extern "C" {
void* __real_memcpy(void*, const void*, size_t);
void* __real_memmove(void*, const void*, size_t);
void* __real_memset(void*, int, size_t);

HIDDEN void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
    range_access<READ>(from, bytes, HERE);
    range_access<WRITE>(to, bytes, HERE);
    return __real_memcpy(to, from, bytes);
}

HIDDEN void* __wrap_memmove(void* to, const void* from, size_t bytes) {
    range_access<READ>(from, bytes, HERE);
    range_access<WRITE>(to, bytes, HERE);
    return __real_memmove(to, from, bytes);
}

HIDDEN void* __wrap_memset(void* to, int value, size_t bytes) {
    range_access<WRITE>(to, bytes, HERE);
    return __real_memset(to, value, bytes);
}

// What newer compilers call for the same.
HIDDEN void* __tsan_memcpy(void* to, const void* from, size_t bytes) { return __wrap_memcpy(to, from, bytes); }
HIDDEN void* __tsan_memmove(void* to, const void* from, size_t bytes) { return __wrap_memmove(to, from, bytes); }
HIDDEN void* __tsan_memset(void* to, int value, size_t bytes) { return __wrap_memset(to, value, bytes); }
}
