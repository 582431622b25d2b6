// Atomics. The runtime records the access, and may let other threads run first; the update itself is
// a plain one, because no other CUDA thread can intervene.
#pragma once
#include <simt_api.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

template <class T, class Change>
SIMT_HOST inline T replace(T* address, Change change) {
    T old = *address;
    *address = change(old);
    return old;
}

template <class T>
SIMT_HOST inline T peek(const T* address) {
    return *address;
}
template <class T>
SIMT_HOST inline void poke(T* address, T value) {
    *address = value;
}

}  // namespace simt
#pragma GCC visibility pop

// One function in the three scopes. `old` is the value found, `value` the operand; TRAITS are those of simt_atomic_access.
#define SIMT_ATOMIC_SCOPE(NAME, TRAITS, T, EXPRESSION)                                       \
    SIMT_INLINE T NAME(T* address, T value) {                                                \
        simt_atomic_access(address, sizeof(T), TRAITS);                                      \
        return simt::replace(address, [value](T old) SIMT_HOST -> T { return EXPRESSION; }); \
    }
#define SIMT_ATOMIC_SCOPES(NAME, TRAITS, T, EXPRESSION)                      \
    SIMT_ATOMIC_SCOPE(NAME, TRAITS, T, EXPRESSION)                           \
    SIMT_ATOMIC_SCOPE(NAME##_block, (TRAITS) | SIMT_OF_BLOCK, T, EXPRESSION) \
    SIMT_ATOMIC_SCOPE(NAME##_system, TRAITS, T, EXPRESSION)
#define SIMT_ATOMIC(NAME, T, EXPRESSION) SIMT_ATOMIC_SCOPES(NAME, 0, T, EXPRESSION)
#define SIMT_STORING_ATOMIC(NAME, T, EXPRESSION) SIMT_ATOMIC_SCOPES(NAME, SIMT_STORES, T, EXPRESSION)
#define SIMT_SELECTING_ATOMIC(NAME, T, EXPRESSION) SIMT_ATOMIC_SCOPES(NAME, SIMT_SELECTS, T, EXPRESSION)

// Sums and differences wrap, also for int, where the language would call it undefined.
#define SIMT_WRAP(T, SIGN) static_cast<T>(static_cast<unsigned>(old) SIGN static_cast<unsigned>(value))
SIMT_ATOMIC(atomicAdd, int, SIMT_WRAP(int, +))
SIMT_ATOMIC(atomicAdd, unsigned int, old + value)
SIMT_ATOMIC(atomicAdd, unsigned long long, old + value)
SIMT_ATOMIC(atomicAdd, float, old + value)
SIMT_ATOMIC(atomicAdd, double, old + value)
SIMT_ATOMIC(atomicSub, int, SIMT_WRAP(int, -))
SIMT_ATOMIC(atomicSub, unsigned int, old - value)
#undef SIMT_WRAP

SIMT_STORING_ATOMIC(atomicExch, int, (void(old), value))
SIMT_STORING_ATOMIC(atomicExch, unsigned int, (void(old), value))
SIMT_STORING_ATOMIC(atomicExch, unsigned long long, (void(old), value))
SIMT_STORING_ATOMIC(atomicExch, float, (void(old), value))

#define SIMT_ATOMIC_INTEGER(T)                                     \
    SIMT_SELECTING_ATOMIC(atomicMin, T, value < old ? value : old) \
    SIMT_SELECTING_ATOMIC(atomicMax, T, old < value ? value : old) \
    SIMT_SELECTING_ATOMIC(atomicAnd, T, old& value)                \
    SIMT_SELECTING_ATOMIC(atomicOr, T, old | value)                \
    SIMT_ATOMIC(atomicXor, T, old ^ value)
SIMT_ATOMIC_INTEGER(int)
SIMT_ATOMIC_INTEGER(unsigned int)
SIMT_ATOMIC_INTEGER(long long)
SIMT_ATOMIC_INTEGER(unsigned long long)
#undef SIMT_ATOMIC_INTEGER

SIMT_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
SIMT_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)

#define SIMT_ATOMIC_CAS_SCOPE(NAME, SCOPE, T)                                                                  \
    SIMT_INLINE T NAME(T* address, T expected, T value) {                                                      \
        simt_atomic_access(address, sizeof(T), SIMT_SELECTS | SIMT_SWAPS | (SCOPE));                           \
        T found = simt::replace(address, [=](T old) SIMT_HOST -> T { return old == expected ? value : old; }); \
        if (SIMT_INSTRUMENTED) simt_swap_done(address, found == expected, uint64_t(expected), SCOPE);          \
        return found;                                                                                          \
    }
#define SIMT_ATOMIC_CAS(T)                                   \
    SIMT_ATOMIC_CAS_SCOPE(atomicCAS, 0, T)                   \
    SIMT_ATOMIC_CAS_SCOPE(atomicCAS_block, SIMT_OF_BLOCK, T) \
    SIMT_ATOMIC_CAS_SCOPE(atomicCAS_system, 0, T)
SIMT_ATOMIC_CAS(int)
SIMT_ATOMIC_CAS(unsigned int)
SIMT_ATOMIC_CAS(unsigned long long)
SIMT_ATOMIC_CAS(unsigned short)
#undef SIMT_ATOMIC_CAS
#undef SIMT_ATOMIC_CAS_SCOPE

// A GPU adds a vector component by component; each component is atomic, the vector as a whole is not.
SIMT_INLINE float2 atomicAdd(float2* address, float2 value) {
    return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
SIMT_INLINE float4 atomicAdd(float4* address, float4 value) {
    return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
                  atomicAdd(&address->w, value.w)};
}
