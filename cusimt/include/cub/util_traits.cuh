// Facts about key types: limits, and the unsigned integers whose order is the order of the keys (for radix sorts).
#pragma once
#include <stdint.h>
#include <string.h>

#include <limits>
#include <type_traits>

#include "cub/config.cuh"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

CUB_NAMESPACE_BEGIN

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

namespace simt_detail {

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <int Bytes>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
    typedef unsigned char type;
};
template <>
struct unsigned_of_size<2> {
    typedef unsigned short type;
};
template <>
struct unsigned_of_size<4> {
    typedef unsigned int type;
};
template <>
struct unsigned_of_size<8> {
    typedef unsigned long long type;
};

template <class T>
constexpr Category category() {
    if (std::is_floating_point_v<T> || is_small_float<T>) return FLOATING_POINT;
    if (!std::is_integral_v<T>) return NOT_A_NUMBER;
    return std::is_signed_v<T> ? SIGNED_INTEGER : UNSIGNED_INTEGER;
}

}  // namespace simt_detail

template <class T>
struct NumericTraits {
    static constexpr Category CATEGORY = simt_detail::category<T>();
    static constexpr bool PRIMITIVE = CATEGORY != NOT_A_NUMBER;
    static constexpr bool NULL_TYPE = false;
};

template <class T>
struct Traits : NumericTraits<T> {
    static_assert(simt_detail::category<T>() != NOT_A_NUMBER, "cub::Traits: keys of this type cannot be sorted by radix");
    typedef typename simt_detail::unsigned_of_size<sizeof(T)>::type UnsignedBits;
    static constexpr UnsignedBits HIGH_BIT = UnsignedBits(UnsignedBits(1) << (sizeof(T) * 8 - 1));

    // To bits that compare as unsigned integers the way keys compare, and back.
    SIMT_INLINE static UnsignedBits TwiddleIn(UnsignedBits bits) {
        if (Traits::CATEGORY == SIGNED_INTEGER) return UnsignedBits(bits ^ HIGH_BIT);
        if (Traits::CATEGORY == FLOATING_POINT) return UnsignedBits(bits & HIGH_BIT ? ~bits : bits ^ HIGH_BIT);
        return bits;
    }
    SIMT_INLINE static UnsignedBits TwiddleOut(UnsignedBits bits) {
        if (Traits::CATEGORY == SIGNED_INTEGER) return UnsignedBits(bits ^ HIGH_BIT);
        if (Traits::CATEGORY == FLOATING_POINT) return UnsignedBits(bits & HIGH_BIT ? bits ^ HIGH_BIT : ~bits);
        return bits;
    }
    // TwiddleIn() for sorts: the two zeros are one.
    SIMT_INLINE static UnsignedBits RadixCode(UnsignedBits bits) {
        return TwiddleIn(Traits::CATEGORY == FLOATING_POINT && bits == HIGH_BIT ? UnsignedBits(0) : bits);
    }
    SIMT_INLINE static T Max() {
        return from_bits(TwiddleOut(is_float ? TwiddleIn(bits_of(limit(1))) : UnsignedBits(~UnsignedBits(0))));
    }
    SIMT_INLINE static T Lowest() { return from_bits(TwiddleOut(is_float ? TwiddleIn(bits_of(limit(-1))) : UnsignedBits(0))); }

  private:
    static constexpr bool is_float = simt_detail::category<T>() == FLOATING_POINT;
    SIMT_INLINE static UnsignedBits bits_of(T value) {
        UnsignedBits bits;
        __builtin_memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    SIMT_INLINE static T from_bits(UnsignedBits bits) {
        T value;
        __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof bits);
        return value;
    }
    // The largest finite number, or its negative.
    SIMT_INLINE static T limit(int sign) {
        if constexpr (std::is_same_v<T, __half>) return from_bits(sign > 0 ? 0x7bff : 0xfbff);
        else if constexpr (std::is_same_v<T, __nv_bfloat16>) return from_bits(sign > 0 ? 0x7f7f : 0xff7f);
        else return sign > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
};

template <class T>
struct FpLimits {
    SIMT_INLINE static T Max() { return Traits<T>::Max(); }
    SIMT_INLINE static T Lowest() { return Traits<T>::Lowest(); }
};

CUB_NAMESPACE_END
