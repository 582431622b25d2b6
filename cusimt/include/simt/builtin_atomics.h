// nvcc's own atomic functions, __nv_atomic_*, which name a memory order and a scope with every access.
#pragma once
#include <simt_api.h>

#include "simt/atomics.h"
#include "simt/launch.h"
#include "simt/memory.h"

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

#pragma GCC visibility push(hidden)
namespace simt {

SIMT_INLINE void fence_before(int order, int scope) {
    if (order >= __NV_ATOMIC_RELEASE) simt_fence(scope <= __NV_THREAD_SCOPE_BLOCK ? 1 : 2);
}

template <class T, class Change>
SIMT_INLINE T change_atomically(T* address, int order, int scope, int traits, Change change) {
    fence_before(order, scope);
    simt_atomic_access(address, sizeof(T), traits | (scope <= __NV_THREAD_SCOPE_BLOCK ? SIMT_OF_BLOCK : 0));
    return replace(address, change);
}

}  // namespace simt
#pragma GCC visibility pop

#define SIMT_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM

SIMT_INLINE void __nv_atomic_thread_fence(int order, SIMT_SCOPE) {
    if (order != __NV_ATOMIC_RELAXED) simt_fence(scope <= __NV_THREAD_SCOPE_BLOCK ? 1 : 2);
}

template <class T>
SIMT_INLINE T __nv_atomic_load_n(const T* address, int order, SIMT_SCOPE) {
    if (scope <= __NV_THREAD_SCOPE_BLOCK) {
        simt_scoped_load(address, sizeof(T));
        return simt::peek(address);
    }
    if (!simt_this_module.checked) simt_spin_on(address, sizeof(T), nullptr);  // in a checked module the hook does it
    T value;
    __atomic_load(address, &value, order == __NV_ATOMIC_SEQ_CST ? __ATOMIC_SEQ_CST : __ATOMIC_ACQUIRE);
    return value;
}
template <class T>
SIMT_INLINE void __nv_atomic_load(const T* address, T* result, int order, SIMT_SCOPE) {
    *result = __nv_atomic_load_n(address, order, scope);
}

template <class T>
SIMT_INLINE void __nv_atomic_store_n(T* address, typename simt::same<T>::type value, int order, SIMT_SCOPE) {
    simt::fence_before(order, scope);
    if (scope <= __NV_THREAD_SCOPE_BLOCK) {
        simt_scoped_store(address, sizeof(T));
        simt::poke(address, value);
        return;
    }
    simt_await_turn(address);
    if (order >= __NV_ATOMIC_RELEASE) __atomic_store(address, &value, __ATOMIC_RELEASE);
    else __atomic_store(address, &value, __ATOMIC_RELAXED);
}
template <class T>
SIMT_INLINE void __nv_atomic_store(T* address, T* value, int order, SIMT_SCOPE) {
    __nv_atomic_store_n(address, *value, order, scope);
}

#define SIMT_NV_ATOMIC(NAME, TRAITS, EXPRESSION)                                                                             \
    template <class T>                                                                                                       \
    SIMT_INLINE T __nv_atomic_fetch_##NAME(T* address, typename simt::same<T>::type value, int order, SIMT_SCOPE) {          \
        return simt::change_atomically(address, order, scope, TRAITS, [value](T old) SIMT_HOST -> T { return EXPRESSION; }); \
    }                                                                                                                        \
    template <class T>                                                                                                       \
    SIMT_INLINE void __nv_atomic_##NAME(T* address, typename simt::same<T>::type value, int order, SIMT_SCOPE) {             \
        __nv_atomic_fetch_##NAME(address, value, order, scope);                                                              \
    }
SIMT_NV_ATOMIC(add, 0, T(old + value))
SIMT_NV_ATOMIC(sub, 0, T(old - value))
SIMT_NV_ATOMIC(xor, 0, T(old ^ value))
SIMT_NV_ATOMIC(or, SIMT_SELECTS, T(old | value))
SIMT_NV_ATOMIC(and, SIMT_SELECTS, T(old& value))
SIMT_NV_ATOMIC(min, SIMT_SELECTS, value < old ? value : old)
SIMT_NV_ATOMIC(max, SIMT_SELECTS, old < value ? value : old)
#undef SIMT_NV_ATOMIC

template <class T>
SIMT_INLINE T __nv_atomic_exchange_n(T* address, typename simt::same<T>::type value, int order, SIMT_SCOPE) {
    return simt::change_atomically(address, order, scope, SIMT_STORES,
                                   [value](T old) SIMT_HOST -> T { return (void(old), value); });
}
template <class T>
SIMT_INLINE void __nv_atomic_exchange(T* address, T* value, T* result, int order, SIMT_SCOPE) {
    *result = __nv_atomic_exchange_n(address, *value, order, scope);
}

// `found` holds the expected value before, and after a failure the value that was found.
template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* address, T* found, typename simt::same<T>::type value, bool, int success,
                                                int, SIMT_SCOPE) {
    T expected = *found;
    int of_block = scope <= __NV_THREAD_SCOPE_BLOCK ? SIMT_OF_BLOCK : 0;
    *found = simt::change_atomically(address, success, scope, SIMT_SELECTS | SIMT_SWAPS,
                                     [=](T old) SIMT_HOST -> T { return old == expected ? value : old; });
    if (SIMT_INSTRUMENTED) simt_swap_done(address, *found == expected, uint64_t(expected), of_block);
    return *found == expected;
}
template <class T>
SIMT_INLINE bool __nv_atomic_compare_exchange(T* address, T* found, T* value, bool weak, int success, int failure, SIMT_SCOPE) {
    return __nv_atomic_compare_exchange_n(address, found, *value, weak, success, failure, scope);
}
#undef SIMT_SCOPE
