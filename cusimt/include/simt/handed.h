// What the translator puts around objects in memory that a call takes or returns by value. g++ puts its hooks before
// assignments: what a call reads or leaves in memory itself has none, unless the call is inlined.
#pragma once
#include <stddef.h>

#include <type_traits>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

// A copy for the call to take; of an array and a function their address, which is what the call takes.
#ifdef __clang__
// clang++ has hooks where a call's objects are copied, unless it finds that an object which the call takes in memory can be
// copied there at once: after the last pass that adds hooks. So such an object may have changed in between. A reference to a
// field of a packed structure, which lies anywhere, would promise an alignment.
SIMT_INLINE void may_change(void* object) { asm volatile("" : : "r"(object) : "memory"); }

template <class T>
SIMT_INLINE constexpr T handed(T value) {
    constexpr size_t in_registers = 16;  // bytes, at most
    if (sizeof(T) > in_registers && !__builtin_is_constant_evaluated()) may_change(&value);
    return value;
}
#else
template <class T>
    requires(!std::is_array_v<T>)
SIMT_INLINE constexpr auto handed(const T& value) {
    return value;
}
template <class T, size_t count>
SIMT_INLINE constexpr T* handed(T (&array)[count]) {
    return array;
}
#endif

// The result itself. A call whose result has a reference to it leaves it in an object, which is then assigned.
template <class T>
SIMT_INLINE constexpr T&& handed_back(T&& result) {
    return static_cast<T&&>(result);
}

}  // namespace simt
#pragma GCC visibility pop
