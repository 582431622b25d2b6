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

template <class T, int Count, bool Volatile>
SIMT_INLINE parts<T, Count> load(const char* address) {
    if constexpr (Volatile && Count == 1 && std::is_arithmetic_v<T>)
        return {{*reinterpret_cast<const volatile T*>(address)}};
    else return *reinterpret_cast<const parts<T, Count>*>(address);
}
template <class T, int Count, bool Volatile>
SIMT_INLINE void store(char* address, const parts<T, Count>& values) {
    if constexpr (Volatile && Count == 1 && std::is_arithmetic_v<T>) *reinterpret_cast<volatile T*>(address) = values.part[0];
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
template <class T>
SIMT_INLINE typename atomic_type<T>::type* atomic_pointer(char* address) {
    return reinterpret_cast<typename atomic_type<T>::type*>(address);
}
template <class T>
SIMT_INLINE typename atomic_type<T>::type atomic_value(T value) {
    return value;
}

SIMT_INLINE void copy(char* to, const char* from, uint32_t bytes, uint32_t taken) {
    simt_async_copy(to, from, bytes, bytes - (taken < bytes ? taken : bytes));
}

// `clamp` holds the size of the segments that lanes stay in, as PTX spells it.
SIMT_INLINE int segment(uint32_t clamp) { return static_cast<int>(32 - (clamp >> 8 & 31)); }
SIMT_INLINE uint32_t shuffle_idx(uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp) {
    return __shfl_sync(mask, value, static_cast<int>(lane), segment(clamp));
}
SIMT_INLINE uint32_t shuffle_up(uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp) {
    return __shfl_up_sync(mask, value, by, segment(clamp));
}
SIMT_INLINE uint32_t shuffle_down(uint32_t mask, uint32_t value, uint32_t by, uint32_t clamp) {
    return __shfl_down_sync(mask, value, by, segment(clamp));
}
SIMT_INLINE uint32_t shuffle_bfly(uint32_t mask, uint32_t value, uint32_t lanes, uint32_t clamp) {
    return __shfl_xor_sync(mask, value, static_cast<int>(lanes), segment(clamp));
}

}  // namespace ptx
}  // namespace simt
