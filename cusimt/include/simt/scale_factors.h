// Scale factors of 8 bits (E8M0): powers of two from 2^-127 to 2^127, and one NaN.
#pragma once
#include <math.h>

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"
#include "simt/eight_bits.h"

#pragma GCC visibility push(hidden)
namespace simt {

// The magnitude, rounded up to a power of two or (any other rounding) down.
SIMT_HOST inline unsigned char encode_scale(double value, __nv_saturation_t saturation, cudaRoundMode rounding) {
    if (__builtin_isnan(value)) return 0xff;
    const double magnitude = fabs(value);
    if (magnitude <= ldexp(1, -127)) return 0;
    int exponent = __builtin_isinf(value) ? 128 : ilogb(magnitude);
    if (exponent < 128 && rounding == cudaRoundPosInf && magnitude > ldexp(1, exponent)) exponent++;
    if (exponent > 127) return saturation == __NV_SATFINITE ? 0xfe : 0xff;
    return static_cast<unsigned char>(exponent + 127);
}

SIMT_HOST inline float decode_scale(unsigned char bits) { return bits == 0xff ? __builtin_nanf("") : ldexpf(1, bits - 127); }

}  // namespace simt
#pragma GCC visibility pop

SIMT_INLINE unsigned char __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturation, cudaRoundMode rounding) {
    return simt::encode_scale(x, saturation, rounding);
}
SIMT_INLINE unsigned char __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturation, cudaRoundMode rounding) {
    return simt::encode_scale(x, saturation, rounding);
}
SIMT_INLINE unsigned char __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                       cudaRoundMode rounding) {
    return simt::encode_scale(__nv_bfloat16(x).simt_float(), saturation, rounding);
}
SIMT_INLINE unsigned short __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturation, cudaRoundMode rounding) {
    return static_cast<unsigned short>(simt::encode_scale(x.x, saturation, rounding) |
                                       simt::encode_scale(x.y, saturation, rounding) << 8);
}
SIMT_INLINE unsigned short __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturation, cudaRoundMode rounding) {
    return __nv_cvt_double2_to_e8m0x2(double2{x.x, x.y}, saturation, rounding);
}
SIMT_INLINE unsigned short __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x, __nv_saturation_t saturation,
                                                           cudaRoundMode rounding) {
    return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(__nv_bfloat162(x)), saturation, rounding);
}
SIMT_INLINE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(unsigned char x) {
    return __nv_bfloat16::simt_round(simt::decode_scale(x));
}
SIMT_INLINE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(unsigned short x) {
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(x)).x,
                              __nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(x >> 8)).x};
}

struct alignas(1) __nv_fp8_e8m0 {
    unsigned char __x;
    __nv_fp8_e8m0() = default;
    template <class T, class = typename std::enable_if<std::is_floating_point<T>::value>::type>
    SIMT_INLINE explicit __nv_fp8_e8m0(T x) : __x(simt::encode_scale(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    SIMT_INLINE explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0(x.simt_float()) {}
    SIMT_INLINE explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0(x.simt_float()) {}
    SIMT_INLINE explicit operator float() const { return simt::decode_scale(__x); }
    SIMT_INLINE explicit operator double() const { return simt::decode_scale(__x); }
    SIMT_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16::simt_round(simt::decode_scale(__x)); }
};
