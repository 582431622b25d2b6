// What quantised kernels compute: results within bounds, several small integers in a register and their dot products.
#pragma once
#include <limits>

#include "simt/ptx/arithmetic.h"

namespace simt {
namespace ptx {

// .sat: within 0 and 1, NaN is 0.
template <class T>
SIMT_INLINE T unit_interval(T value) {
    return of_each(value,
                   [](auto each) SIMT_HOST { return each > 0 ? (each < 1 ? each : decltype(each)(1)) : decltype(each)(0); });
}
// .relu: 0 for anything negative, NaN stays.
template <class T>
SIMT_INLINE T not_negative(T value) {
    return of_each(value, [](auto each) SIMT_HOST { return each < 0 ? decltype(each)(0) : each; });
}
// The nearest integer that the type has.
template <class D, class S>
SIMT_INLINE D within_range(S value) {
    constexpr D lowest = std::numeric_limits<D>::min(), highest = std::numeric_limits<D>::max();
    const __int128 wide = value;
    return wide < lowest ? lowest : wide > highest ? highest : static_cast<D>(wide);
}
SIMT_INLINE int32_t add_within_range(int32_t a, int32_t b) { return within_range<int32_t>(int64_t(a) + b); }
SIMT_INLINE int32_t sub_within_range(int32_t a, int32_t b) { return within_range<int32_t>(int64_t(a) - b); }
// Two integers of 8 or 16 bits, the first above the second, and what was in the register above both.
template <class D>
SIMT_INLINE uint32_t pack_within_range(int32_t high, int32_t low, uint32_t above) {
    constexpr int width = 8 * sizeof(D);
    const auto bits = [](int32_t value) SIMT_HOST { return static_cast<std::make_unsigned_t<D>>(within_range<D>(value)); };
    return (width < 16 ? above << (2 * width) % 32 : 0u) | static_cast<uint32_t>(bits(high)) << width | bits(low);
}

// Bytes and words are signed as the operand that they are in.
template <int Width, class T>
SIMT_INLINE int64_t part_of(T value, int index) {
    const uint32_t bits = static_cast<uint32_t>(value) >> Width * index << (32 - Width);
    return std::is_signed_v<T> ? static_cast<int32_t>(bits) >> (32 - Width) : static_cast<int64_t>(bits >> (32 - Width));
}
template <class A, class B, class C>
SIMT_INLINE C dp4a(A a, B b, C sum) {
    for (int i = 0; i < 4; ++i) sum = add<C>(sum, static_cast<C>(part_of<8>(a, i) * part_of<8>(b, i)));
    return sum;
}
template <class A, class B, class C>
SIMT_INLINE C dp2a_lo(A a, B b, C sum) {
    for (int i = 0; i < 2; ++i) sum = add<C>(sum, static_cast<C>(part_of<16>(a, i) * part_of<8>(b, i)));
    return sum;
}
template <class A, class B, class C>
SIMT_INLINE C dp2a_hi(A a, B b, C sum) {
    for (int i = 0; i < 2; ++i) sum = add<C>(sum, static_cast<C>(part_of<16>(a, i) * part_of<8>(b, i + 2)));
    return sum;
}

}  // namespace ptx
}  // namespace simt
