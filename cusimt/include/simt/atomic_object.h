// What cuda::atomic and cuda::atomic_ref have in common: operations on one address, in the order and scope that they name.
//
// The runtime hears of each access (of loads and stores from the hooks, which know the compiler's atomics), and may let other
// threads run first: a loop that waits for another thread ends. In host code the same objects are the host's atomics.
#pragma once
#include <simt_api.h>
#include <stddef.h>

#include <type_traits>

#include "simt/async/thread_scope.h"
#include "simt/atomics.h"
#include "simt/launch.h"

namespace cuda::std {
enum class memory_order { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
}  // namespace cuda::std

namespace simt {

using cuda::std::memory_order;

SIMT_INLINE bool releases(memory_order order) { return order >= memory_order::release; }
SIMT_INLINE int fence_scope(cuda::thread_scope scope) { return scope >= cuda::thread_scope_block ? 1 : 2; }

// What this thread wrote before is published with the access that follows.
SIMT_INLINE void before_access(const void* address, size_t bytes, memory_order order, cuda::thread_scope scope) {
    if (releases(order)) simt_fence(fence_scope(scope));
    simt_atomic_access(address, bytes, scope >= cuda::thread_scope_block ? SIMT_OF_BLOCK : 0);
}

template <class T>
constexpr bool has_arithmetic = ::std::is_arithmetic_v<T> && !::std::is_same_v<T, bool>;

// `Self` has simt_address() -> T*.
template <class Self, class T, cuda::thread_scope Scope>
class atomic_operations {
    static_assert(::std::is_trivially_copyable_v<T>, "an atomic object needs a type that is trivially copyable");
    typedef ::std::conditional_t<::std::is_pointer_v<T>, ptrdiff_t, T> difference;

  public:
    typedef T value_type;
    typedef difference difference_type;
    static constexpr bool is_always_lock_free = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;
    SIMT_INLINE bool is_lock_free() const { return is_always_lock_free; }

    SIMT_INLINE T load(memory_order order = memory_order::seq_cst) const {
        if constexpr (!is_always_lock_free) return change(order, [](T old) SIMT_HOST -> T { return old; });
        if (is_of_block && simt_on_device()) {
            simt_scoped_load(at(), sizeof(T));
            return peek(at());
        }
        if (simt_on_device() && !simt_this_module.checked)
            simt_spin_on(at(), sizeof(T), nullptr);  // in a checked module the hook does it
        T value;
        __atomic_load(at(), &value, order == memory_order::seq_cst ? __ATOMIC_SEQ_CST : __ATOMIC_ACQUIRE);
        return value;
    }
    SIMT_INLINE void store(T value, memory_order order = memory_order::seq_cst) const {
        if constexpr (!is_always_lock_free) {
            change(order, [value](T) SIMT_HOST -> T { return value; });
        } else if (is_of_block && simt_on_device()) {
            if (releases(order)) simt_fence(fence_scope(Scope));
            simt_scoped_store(at(), sizeof(T));
            poke(at(), value);
        } else {
            simt_await_turn(at());
            if (releases(order)) __atomic_store(at(), &value, __ATOMIC_RELEASE);
            else __atomic_store(at(), &value, __ATOMIC_RELAXED);
        }
    }
    SIMT_INLINE T exchange(T value, memory_order order = memory_order::seq_cst) const {
        return change(order, [value](T) SIMT_HOST -> T { return value; });
    }
    SIMT_INLINE bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order::seq_cst) const {
        T wanted = expected;
        T old = change(order, [=](T found) SIMT_HOST -> T { return same_bytes(found, wanted) ? value : found; });
        if (same_bytes(old, wanted)) return true;
        expected = old;
        return false;
    }
    SIMT_INLINE bool compare_exchange_strong(T& expected, T value, memory_order success, memory_order) const {
        return compare_exchange_strong(expected, value, success);
    }
    SIMT_INLINE bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order::seq_cst) const {
        return compare_exchange_strong(expected, value, order);
    }
    SIMT_INLINE bool compare_exchange_weak(T& expected, T value, memory_order success, memory_order) const {
        return compare_exchange_strong(expected, value, success);
    }
    SIMT_INLINE void wait(T old, memory_order order = memory_order::seq_cst) const {
        while (same_bytes(load(order), old)) {
        }
    }
    SIMT_INLINE void notify_one() const {}
    SIMT_INLINE void notify_all() const {}

#define SIMT_FETCH(NAME, NEEDS, EXPRESSION)                                                         \
    SIMT_INLINE T NAME(difference value, memory_order order = memory_order::seq_cst) const          \
        requires(NEEDS)                                                                             \
    {                                                                                               \
        return change(order, [value](T old) SIMT_HOST -> T { return static_cast<T>(EXPRESSION); }); \
    }
    SIMT_FETCH(fetch_add, has_arithmetic<T> || ::std::is_pointer_v<T>, sum(old, value))
    SIMT_FETCH(fetch_sub, has_arithmetic<T> || ::std::is_pointer_v<T>, sum(old, -value))
    SIMT_FETCH(fetch_and, ::std::is_integral_v<T>, old& value)
    SIMT_FETCH(fetch_or, ::std::is_integral_v<T>, old | value)
    SIMT_FETCH(fetch_xor, ::std::is_integral_v<T>, old ^ value)
    SIMT_FETCH(fetch_min, has_arithmetic<T>, value < old ? value : old)
    SIMT_FETCH(fetch_max, has_arithmetic<T>, old < value ? value : old)
#undef SIMT_FETCH

    SIMT_INLINE operator T() const { return load(); }
    SIMT_INLINE T operator++() const { return sum(fetch_add(1), 1); }
    SIMT_INLINE T operator--() const { return sum(fetch_sub(1), -1); }
    SIMT_INLINE T operator++(int) const { return fetch_add(1); }
    SIMT_INLINE T operator--(int) const { return fetch_sub(1); }
    SIMT_INLINE T operator+=(difference value) const { return sum(fetch_add(value), value); }
    SIMT_INLINE T operator-=(difference value) const { return sum(fetch_sub(value), -value); }
    SIMT_INLINE T operator&=(difference value) const { return fetch_and(value) & value; }
    SIMT_INLINE T operator|=(difference value) const { return fetch_or(value) | value; }
    SIMT_INLINE T operator^=(difference value) const { return fetch_xor(value) ^ value; }

  private:
    static constexpr bool is_of_block = Scope >= cuda::thread_scope_block;
    SIMT_INLINE T* at() const { return static_cast<const Self&>(*this).simt_address(); }

    // Integers wrap, also those for which the language calls that undefined.
    template <class D>
    SIMT_HOST static T sum(T old, D value) {
        if constexpr (::std::is_integral_v<T>)
            return static_cast<T>(static_cast<unsigned long long>(old) + static_cast<unsigned long long>(value));
        else return old + value;
    }
    SIMT_HOST static bool same_bytes(const T& a, const T& b) {  // not memcmp, which is the host's
        auto of_a = reinterpret_cast<const unsigned char*>(&a), of_b = reinterpret_cast<const unsigned char*>(&b);
        for (size_t i = 0; i < sizeof(T); ++i) {
            if (of_a[i] != of_b[i]) return false;
        }
        return true;
    }

    // Applies `next` to the value and returns what it was.
    template <class Next>
    SIMT_INLINE T change(memory_order order, Next next) const {
        if (simt_on_device()) {
            before_access(at(), sizeof(T), order, Scope);
            return replace(at(), next);
        }
        T old, wanted;
        __atomic_load(at(), &old, __ATOMIC_SEQ_CST);
        do wanted = next(old);
        while (!__atomic_compare_exchange(at(), &old, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        return old;
    }
};

// At the alignment of its size, where that is one that a GPU has atomics for.
template <class T>
constexpr size_t atomic_alignment() {
    return sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16 ? sizeof(T) : alignof(T);
}

}  // namespace simt
