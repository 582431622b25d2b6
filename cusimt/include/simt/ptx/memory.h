// Loads, stores, atomics and asynchronous copies of inline PTX.
#pragma once
#include "simt/atomics.h"
#include "simt/ptx/registers.h"
#include "simt/shuffles.h"

namespace simt {
namespace ptx {

template <class T, int Count>
struct __attribute__((aligned(sizeof(T) * Count), may_alias)) parts {  // moved with one access
    T part[Count];
};

// A volatile vector is read and written at once: kernels hand a value and its flag over in one. Who reads it may be waiting
// for another block.
template <class T, int Count, bool Volatile>
SIMT_INLINE parts<T, Count> load(const char* address) {
    if constexpr (Volatile && std::is_arithmetic_v<T>) {
        using Word = typename bits<sizeof(T) * Count>::type;
        const bool is_hooked = simt_this_module.checked;
        if (simt_on_device() && !is_hooked) simt_spin_on(address, sizeof(Word), nullptr);
        return as<parts<T, Count>>(Word(*reinterpret_cast<const volatile Word*>(address)));
    } else return *reinterpret_cast<const parts<T, Count>*>(address);
}
template <class T, int Count, bool Volatile>
SIMT_INLINE void store(char* address, const parts<T, Count>& values) {
    using Word = typename bits<sizeof(T) * Count>::type;
    if constexpr (Volatile && std::is_arithmetic_v<T>) *reinterpret_cast<volatile Word*>(address) = as<Word>(values);
    else *reinterpret_cast<parts<T, Count>*>(address) = values;
}

// The types that the functions of CUDA C++ have.
template <class T>
struct atomic_type {
    typedef T type;
};
template <>
struct atomic_type<uint64_t> {
    typedef unsigned long long type;
};
template <>
struct atomic_type<int64_t> {
    typedef long long type;
};
// The `index`-th element of a vector.
template <class T>
SIMT_INLINE typename atomic_type<T>::type* atomic_pointer(char* address, int index) {
    return reinterpret_cast<typename atomic_type<T>::type*>(address) + index;
}
template <class T>
SIMT_INLINE typename atomic_type<T>::type atomic_value(T value) {
    return value;
}

SIMT_INLINE void copy(char* to, const char* from, uint32_t bytes, uint32_t taken) {
    simt_async_copy(to, from, bytes, bytes - (taken < bytes ? taken : bytes));
}

// The value of another lane, or the own one where there is none. `clamp` says in which lanes to stay: bits 8 to 12 are those of
// the lane number that may not change, bits 0 to 4 the last lane (the first, for `up`) among the others.
struct shuffled {
    uint32_t value;
    bool within;
};
SIMT_INLINE shuffled shuffle(uint32_t mask, uint32_t value, uint32_t source, uint32_t clamp, bool upwards) {
    const uint32_t lane = simt_lane(), fixed = clamp >> 8 & 31, limit = (lane & fixed) | (clamp & 31 & ~fixed);
    const bool within = upwards ? static_cast<int>(source) >= static_cast<int>(limit) : source <= limit;
    return {__shfl_sync(mask, value, static_cast<int>(within ? source : lane)), within};
}
SIMT_INLINE shuffled shuffle_idx(uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp) {
    const uint32_t fixed = clamp >> 8 & 31;
    return shuffle(mask, value, (simt_lane() & fixed) | (by & 31 & ~fixed), clamp, false);
}
SIMT_INLINE shuffled shuffle_up(uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp) {
    return shuffle(mask, value, simt_lane() - (by & 31), clamp, true);
}
SIMT_INLINE shuffled shuffle_down(uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp) {
    return shuffle(mask, value, simt_lane() + (by & 31), clamp, false);
}
SIMT_INLINE shuffled shuffle_bfly(uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp) {
    return shuffle(mask, value, simt_lane() ^ (by & 31), clamp, false);
}
// One lane of the mask: the lowest.
SIMT_INLINE shuffled elect(uint32_t mask) {
    __syncwarp(mask);
    const uint32_t leader = static_cast<uint32_t>(__builtin_ctz(mask));
    return {leader, leader == simt_lane()};
}

}  // namespace ptx
}  // namespace simt
