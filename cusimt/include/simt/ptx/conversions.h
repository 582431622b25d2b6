// cvt: between integers and floating-point numbers. Integers are cut off or extended; numbers become integers as the rounding
// says, and stay within their range.
#pragma once
#include <limits>

#include "cuda_fp8.h"
#include "mma.h"
#include "simt/ptx/arithmetic.h"

namespace simt {
namespace ptx {

template <class S>
SIMT_INLINE auto number(S value) {
    if constexpr (is_small<S>) return value.simt_float();
    else return value;
}

template <class D, class S>
SIMT_INLINE D rounded(S value, rounding mode) {
    if constexpr (is_small<D>) return D::simt_round(static_cast<double>(number(value)), mode);
    else if constexpr (sizeof(D) < sizeof(S) && std::is_same_v<S, double>) {
        if (mode == towards_zero) return __double2float_rz(value);
        if (mode == upward) return __double2float_ru(value);
        return mode == downward ? __double2float_rd(value) : static_cast<D>(value);
    } else return static_cast<D>(number(value));
}
template <class D, class S>
SIMT_INLINE D convert_exact(S value) {
    static_assert(!(std::is_integral_v<S> && !std::is_integral_v<D>), "cvt from an integer needs a rounding");
    return rounded<D>(value, nearest);
}
template <class D, class S>
SIMT_INLINE D convert_rn(S value) {
    return rounded<D>(value, nearest);
}
#define SIMT_PTX_ROUNDED(NAME, MODE)                                                             \
    template <class D, class S>                                                                  \
    SIMT_INLINE D convert_##NAME(S value) {                                                      \
        static_assert(!std::is_integral_v<S>, "cvt from an integer is supported with .rn only"); \
        return rounded<D>(value, MODE);                                                          \
    }
SIMT_PTX_ROUNDED(rz, towards_zero)
SIMT_PTX_ROUNDED(rm, downward)
SIMT_PTX_ROUNDED(rp, upward)
#undef SIMT_PTX_ROUNDED

template <class D>
SIMT_INLINE D whole_number(float value) {
    return saturated_integer<D>(value);
}
template <class D>
SIMT_INLINE D whole_number(double value) {
    constexpr D lowest = std::numeric_limits<D>::min(), highest = std::numeric_limits<D>::max();
    if (__builtin_isnan(value)) return sizeof(D) < 8 ? D(0) : D(uint64_t(1) << 63);
    if (value <= static_cast<double>(lowest)) return lowest;
    return value >= static_cast<double>(highest) ? highest : static_cast<D>(value);
}
#define SIMT_PTX_TO_INTEGER(NAME, FUNCTION)                                         \
    template <class D, class S>                                                     \
    SIMT_INLINE D convert_##NAME(S value) {                                         \
        auto whole = static_cast<decltype(number(value))>(FUNCTION(number(value))); \
        if constexpr (std::is_integral_v<D>) return whole_number<D>(whole);         \
        else return rounded<D>(whole, nearest);                                     \
    }
SIMT_PTX_TO_INTEGER(rni, ::rint)
SIMT_PTX_TO_INTEGER(rzi, ::trunc)
SIMT_PTX_TO_INTEGER(rmi, ::floor)
SIMT_PTX_TO_INTEGER(rpi, ::ceil)
#undef SIMT_PTX_TO_INTEGER

template <class Pair>
SIMT_INLINE Pair pair_rn(float high, float low) {
    using Half = decltype(Pair::x);
    return Pair(Half::simt_round(low), Half::simt_round(high));
}
template <class Pair>
SIMT_INLINE Pair pair_rz(float high, float low) {
    using Half = decltype(Pair::x);
    return Pair(Half::simt_round(low, towards_zero), Half::simt_round(high, towards_zero));
}
template <__nv_fp8_interpretation_t Kind>
SIMT_INLINE uint16_t to_8_bits(float high, float low) {
    return __nv_cvt_float2_to_fp8x2(float2{low, high}, __NV_SATFINITE, Kind);
}
template <__nv_fp8_interpretation_t Kind>
SIMT_INLINE uint16_t to_8_bits(__half2 pair) {
    return to_8_bits<Kind>(pair.y.simt_float(), pair.x.simt_float());
}
template <__nv_fp8_interpretation_t Kind>
SIMT_INLINE __half2 from_8_bits(uint16_t pair) {
    return __half2(__nv_cvt_fp8x2_to_halfraw2(pair, Kind));
}
SIMT_INLINE uint32_t to_tf32(float value) { return __float_as_uint(nvcuda::wmma::__float_to_tf32(value)); }

}  // namespace ptx
}  // namespace simt
