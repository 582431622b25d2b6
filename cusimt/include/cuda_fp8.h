// Numbers of 8 bits (__nv_fp8_e4m3, __nv_fp8_e5m2), their pairs and fours, scale factors (__nv_fp8_e8m0), and the conversions.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt/eight_bits.h"
#include "simt/scale_factors.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

SIMT_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
    return simt::encode_eight_bits(x, saturation, kind);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
    return simt::encode_eight_bits(x, saturation, kind);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind) {
    return simt::encode_eight_bits(__half(x).simt_float(), saturation, kind);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t kind) {
    return simt::encode_eight_bits(__nv_bfloat16(x).simt_float(), saturation, kind);
}
// The first of a pair is the low byte.
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t kind) {
    return static_cast<__nv_fp8x2_storage_t>(simt::encode_eight_bits(x.x, saturation, kind) |
                                             simt::encode_eight_bits(x.y, saturation, kind) << 8);
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double2_to_fp8x2(double2{x.x, x.y}, saturation, kind);
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturation, kind);
}
SIMT_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturation,
                                                                __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturation, kind);
}
SIMT_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __half::simt_round(simt::decode_eight_bits(x, kind));
}
SIMT_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
    __half_raw low = __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x), kind);
    return __half2_raw{low.x, __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8), kind).x};
}

// What does not fit becomes the largest finite number.
#define SIMT_FP8_FROM(NAME, TYPE, KIND, VALUE) \
    SIMT_INLINE explicit NAME(TYPE value) : __x(simt::encode_eight_bits(VALUE, __NV_SATFINITE, KIND)) {}
#define SIMT_FP8_TO(TYPE) \
    SIMT_INLINE explicit operator TYPE() const { return simt::saturated_integer<TYPE>(simt_float()); }
#define SIMT_FP8_TYPES(NAME, PAIR, FOUR, KIND)                                                                        \
    struct alignas(1) NAME {                                                                                          \
        __nv_fp8_storage_t __x;                                                                                       \
        NAME() = default;                                                                                             \
        SIMT_FP8_FROM(NAME, float, KIND, value)                                                                       \
        SIMT_FP8_FROM(NAME, double, KIND, value)                                                                      \
        SIMT_FP8_FROM(NAME, __half, KIND, value.simt_float())                                                         \
        SIMT_FP8_FROM(NAME, __nv_bfloat16, KIND, value.simt_float())                                                  \
        SIMT_FP8_FROM(NAME, short, KIND, value)                                                                       \
        SIMT_FP8_FROM(NAME, unsigned short, KIND, value)                                                              \
        SIMT_FP8_FROM(NAME, int, KIND, value)                                                                         \
        SIMT_FP8_FROM(NAME, unsigned int, KIND, value)                                                                \
        SIMT_FP8_FROM(NAME, long, KIND, static_cast<double>(value))                                                   \
        SIMT_FP8_FROM(NAME, unsigned long, KIND, static_cast<double>(value))                                          \
        SIMT_FP8_FROM(NAME, long long, KIND, static_cast<double>(value))                                              \
        SIMT_FP8_FROM(NAME, unsigned long long, KIND, static_cast<double>(value))                                     \
        SIMT_INLINE float simt_float() const { return simt::decode_eight_bits(__x, KIND); }                           \
        SIMT_INLINE explicit operator float() const { return simt_float(); }                                          \
        SIMT_INLINE explicit operator double() const { return simt_float(); }                                         \
        SIMT_INLINE explicit operator __half() const { return __half::simt_round(simt_float()); }                     \
        SIMT_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16::simt_round(simt_float()); }       \
        SIMT_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }                                      \
        SIMT_FP8_TO(signed char)                                                                                      \
        SIMT_FP8_TO(unsigned char)                                                                                    \
        SIMT_FP8_TO(char)                                                                                             \
        SIMT_FP8_TO(short)                                                                                            \
        SIMT_FP8_TO(unsigned short)                                                                                   \
        SIMT_FP8_TO(int)                                                                                              \
        SIMT_FP8_TO(unsigned int)                                                                                     \
        SIMT_FP8_TO(long long)                                                                                        \
        SIMT_FP8_TO(unsigned long long)                                                                               \
    };                                                                                                                \
    struct alignas(2) PAIR {                                                                                          \
        __nv_fp8x2_storage_t __x;                                                                                     \
        PAIR() = default;                                                                                             \
        SIMT_INLINE explicit PAIR(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, KIND)) {}               \
        SIMT_INLINE explicit PAIR(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, KIND)) {}             \
        SIMT_INLINE explicit PAIR(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, KIND)) {}            \
        SIMT_INLINE explicit PAIR(__nv_bfloat162 x) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, KIND)) {} \
        SIMT_INLINE explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, KIND)); }      \
        SIMT_INLINE explicit operator float2() const {                                                                \
            return float2{simt::decode_eight_bits(static_cast<unsigned char>(__x), KIND),                             \
                          simt::decode_eight_bits(static_cast<unsigned char>(__x >> 8), KIND)};                       \
        }                                                                                                             \
    };                                                                                                                \
    struct alignas(4) FOUR {                                                                                          \
        __nv_fp8x4_storage_t __x;                                                                                     \
        FOUR() = default;                                                                                             \
        SIMT_INLINE explicit FOUR(float4 x)                                                                           \
            : __x(PAIR(float2{x.x, x.y}).__x | static_cast<unsigned>(PAIR(float2{x.z, x.w}).__x) << 16) {}            \
        SIMT_INLINE explicit FOUR(__half2 low, __half2 high)                                                          \
            : __x(PAIR(low).__x | static_cast<unsigned>(PAIR(high).__x) << 16) {}                                     \
        SIMT_INLINE explicit FOUR(__nv_bfloat162 low, __nv_bfloat162 high)                                            \
            : __x(PAIR(low).__x | static_cast<unsigned>(PAIR(high).__x) << 16) {}                                     \
        SIMT_INLINE explicit operator float4() const {                                                                \
            PAIR low, high;                                                                                           \
            low.__x = static_cast<unsigned short>(__x), high.__x = static_cast<unsigned short>(__x >> 16);            \
            float2 a = static_cast<float2>(low), b = static_cast<float2>(high);                                       \
            return float4{a.x, a.y, b.x, b.y};                                                                        \
        }                                                                                                             \
    };
SIMT_FP8_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
SIMT_FP8_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef SIMT_FP8_TYPES
#undef SIMT_FP8_TO
#undef SIMT_FP8_FROM
