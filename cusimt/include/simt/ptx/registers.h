// Registers and addresses of inline PTX: what the translator makes of an `asm` statement is written in these.
//
// A register is a variable of its size; an instruction looks at it as a type of that size. A shared address is the distance
// from the begin of the block's shared memory, as __cvta_generic_to_shared answers it.
#pragma once
#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "simt/address_spaces.h"

namespace simt {
namespace ptx {

// A value as another type: integers are converted, anything else keeps its low bits.
template <class T, class V>
SIMT_INLINE T as(const V& value) {
    if constexpr (std::is_pointer_v<V>) {
        return static_cast<T>(reinterpret_cast<uintptr_t>(value));
    } else if constexpr (std::is_same_v<T, V>) {
        return value;
    } else if constexpr ((std::is_integral_v<T> || std::is_enum_v<T>) && (std::is_integral_v<V> || std::is_enum_v<V>)) {
        return static_cast<T>(value);
    } else {
        T result{};
        __builtin_memcpy(static_cast<void*>(&result), &value, sizeof(T) < sizeof(V) ? sizeof(T) : sizeof(V));
        return result;
    }
}

// The register type of a constraint letter that is given by a macro.
template <char Letter>
struct constrained;
template <>
struct constrained<'r'> {
    typedef uint32_t type;
};
template <>
struct constrained<'l'> {
    typedef uint64_t type;
};

template <class Register, class V>
SIMT_INLINE void put(Register& target, const V& value) {
    target = as<Register>(value);
}
// The value of an output operand.
template <class L, class Register>
SIMT_INLINE void give(L&& target, const Register& value) {
    using Target = std::remove_reference_t<L>;
    if constexpr (std::is_pointer_v<Target>) target = reinterpret_cast<Target>(static_cast<uintptr_t>(value));
    else target = as<Target>(value);
}

template <class T>
SIMT_INLINE constexpr T constant(long long value) {
    if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(value);
    else return as<T>(static_cast<uint32_t>(value));
}

template <size_t Bytes>
struct bits;
template <>
struct bits<1> {
    typedef uint8_t type;
};
template <>
struct bits<2> {
    typedef uint16_t type;
};
template <>
struct bits<4> {
    typedef uint32_t type;
};
template <>
struct bits<8> {
    typedef uint64_t type;
};
template <>
struct bits<16> {
    typedef unsigned __int128 type;
};
// `{a, b}`: the first is the lowest.
template <class First, class... Others>
SIMT_INLINE auto packed(const First& first, const Others&... others) {
    typename bits<sizeof(First) * (1 + sizeof...(Others))>::type result = 0;
    const First parts[] = {first, as<First>(others)...};
    __builtin_memcpy(&result, parts, sizeof result);
    return result;
}
template <class V, class First, class... Others>
SIMT_INLINE void unpack(const V& value, First& first, Others&... others) {
    static_assert(sizeof(V) == sizeof(First) * (1 + sizeof...(Others)), "the parts of a register have its size together");
    First parts[1 + sizeof...(Others)];
    __builtin_memcpy(parts, &value, sizeof value);
    int next = 0;
    first = parts[next];
    ((others = as<Others>(parts[++next])), ...);
}

template <class Register>
SIMT_INLINE char* shared(Register address, long long offset) {
    return static_cast<char*>(__cvta_shared_to_generic(static_cast<size_t>(address))) + offset;
}
template <class Register>
SIMT_INLINE char* generic(Register address, long long offset) {
    return reinterpret_cast<char*>(static_cast<uintptr_t>(address)) + offset;
}
template <class Register>
SIMT_INLINE uint64_t to_shared(Register address) {
    return __cvta_generic_to_shared(reinterpret_cast<const void*>(static_cast<uintptr_t>(address)));
}
template <class Register>
SIMT_INLINE uint64_t from_shared(Register address) {
    return reinterpret_cast<uintptr_t>(__cvta_shared_to_generic(static_cast<size_t>(address)));
}
template <class Register>
SIMT_INLINE uint64_t to_global(Register address) {
    return address;
}
template <class Register>
SIMT_INLINE uint64_t from_global(Register address) {
    return address;
}

SIMT_INLINE uint32_t multiprocessors() { return simt_multiprocessors(); }
// Programs must not rely on which multiprocessor runs the block.
SIMT_INLINE uint32_t multiprocessor() {
    return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % multiprocessors();
}

}  // namespace ptx
}  // namespace simt
