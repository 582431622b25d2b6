// Numbers of 4 bits (__nv_fp4_e2m1), their pairs and fours, and the conversions. The first of a pair lies in the low bits.
#pragma once
#include "cuda_fp8.h"
#include "device_types.h"
#include "simt/four_bits.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

SIMT_INLINE __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
    return simt::encode_four_bits(x, rounding);
}
SIMT_INLINE __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
    return simt::encode_four_bits(x, rounding);
}
SIMT_INLINE __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
    return simt::encode_four_bits(__half(x).simt_float(), rounding);
}
SIMT_INLINE __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t,
                                                           cudaRoundMode rounding) {
    return simt::encode_four_bits(__nv_bfloat16(x).simt_float(), rounding);
}
SIMT_INLINE __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
    return static_cast<__nv_fp4x2_storage_t>(simt::encode_four_bits(x.x, rounding) | simt::encode_four_bits(x.y, rounding)
                                                                                         << 4);
}
SIMT_INLINE __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t kind, cudaRoundMode rounding) {
    return __nv_cvt_double2_to_fp4x2(double2{x.x, x.y}, kind, rounding);
}
SIMT_INLINE __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw x, __nv_fp4_interpretation_t kind,
                                                            cudaRoundMode rounding) {
    return __nv_cvt_float2_to_fp4x2(__half22float2(__half2(x)), kind, rounding);
}
SIMT_INLINE __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw x, __nv_fp4_interpretation_t kind,
                                                                cudaRoundMode rounding) {
    return __nv_cvt_float2_to_fp4x2(__bfloat1622float2(__nv_bfloat162(x)), kind, rounding);
}
SIMT_INLINE __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t) {
    return __half::simt_round(simt::decode_four_bits(x));
}
SIMT_INLINE __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t kind) {
    return __half2_raw{__nv_cvt_fp4_to_halfraw(x, kind).x, __nv_cvt_fp4_to_halfraw(x >> 4, kind).x};
}

struct alignas(1) __nv_fp4_e2m1 {
    __nv_fp4_storage_t __x;
    __nv_fp4_e2m1() = default;
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    SIMT_INLINE explicit __nv_fp4_e2m1(T x) : __x(simt::encode_four_bits(static_cast<double>(x), cudaRoundNearest)) {}
    SIMT_INLINE explicit __nv_fp4_e2m1(__half x) : __nv_fp4_e2m1(x.simt_float()) {}
    SIMT_INLINE explicit __nv_fp4_e2m1(__nv_bfloat16 x) : __nv_fp4_e2m1(x.simt_float()) {}
    SIMT_INLINE explicit operator __half() const { return __half::simt_round(simt::decode_four_bits(__x)); }
    SIMT_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16::simt_round(simt::decode_four_bits(__x)); }
    SIMT_INLINE explicit operator float() const { return simt::decode_four_bits(__x); }
    SIMT_INLINE explicit operator double() const { return simt::decode_four_bits(__x); }
    SIMT_INLINE explicit operator bool() const { return (__x & 7) != 0; }
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    SIMT_INLINE explicit operator T() const {
        return simt::saturated_integer<T>(simt::decode_four_bits(__x));
    }
};
struct alignas(1) __nv_fp4x2_e2m1 {
    __nv_fp4x2_storage_t __x;
    __nv_fp4x2_e2m1() = default;
    SIMT_INLINE explicit __nv_fp4x2_e2m1(float2 x) : __x(__nv_cvt_float2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
    SIMT_INLINE explicit __nv_fp4x2_e2m1(double2 x) : __x(__nv_cvt_double2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
    SIMT_INLINE explicit __nv_fp4x2_e2m1(__half2 x) : __nv_fp4x2_e2m1(__half22float2(x)) {}
    SIMT_INLINE explicit __nv_fp4x2_e2m1(__nv_bfloat162 x) : __nv_fp4x2_e2m1(__bfloat1622float2(x)) {}
    SIMT_INLINE explicit operator __half2() const { return __half2(__nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1)); }
    SIMT_INLINE explicit operator float2() const {
        return float2{simt::decode_four_bits(__x), simt::decode_four_bits(__x >> 4)};
    }
};
struct alignas(2) __nv_fp4x4_e2m1 {
    __nv_fp4x4_storage_t __x;
    __nv_fp4x4_e2m1() = default;
    SIMT_INLINE explicit __nv_fp4x4_e2m1(float2 low, float2 high)
        : __x(static_cast<__nv_fp4x4_storage_t>(__nv_fp4x2_e2m1(low).__x | __nv_fp4x2_e2m1(high).__x << 8)) {}
    SIMT_INLINE explicit __nv_fp4x4_e2m1(float4 x) : __nv_fp4x4_e2m1(float2{x.x, x.y}, float2{x.z, x.w}) {}
    SIMT_INLINE explicit __nv_fp4x4_e2m1(__half2 low, __half2 high)
        : __nv_fp4x4_e2m1(__half22float2(low), __half22float2(high)) {}
    SIMT_INLINE explicit __nv_fp4x4_e2m1(__nv_bfloat162 low, __nv_bfloat162 high)
        : __nv_fp4x4_e2m1(__bfloat1622float2(low), __bfloat1622float2(high)) {}
    SIMT_INLINE explicit operator float4() const {
        return float4{simt::decode_four_bits(__x), simt::decode_four_bits(__x >> 4), simt::decode_four_bits(__x >> 8),
                      simt::decode_four_bits(__x >> 12)};
    }
};
