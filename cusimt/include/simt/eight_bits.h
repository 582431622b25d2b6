// Numbers of 8 bits. E4M3 has no infinities, and one NaN of each sign; E5M2 is the upper half of a __half.
#pragma once
#include <math.h>

#include "simt/qualifiers.h"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#pragma GCC visibility push(hidden)
namespace simt {

struct eight_bit_format {
    int mantissa_bits, bias;
    double largest;
    unsigned char overflow;  // what is too large, where it is not kept finite
};
SIMT_HOST inline eight_bit_format format_of(__nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? eight_bit_format{3, 7, 448, 0x7f} : eight_bit_format{2, 15, 57344, 0x7c};
}

// Rounded once, to nearest, ties to even.
SIMT_HOST inline unsigned char encode_eight_bits(double value, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
    const eight_bit_format format = format_of(kind);
    if (__builtin_isnan(value)) return 0x7f;
    const unsigned char sign = __builtin_signbit(value) ? 0x80 : 0;
    const double magnitude = fabs(value);
    const int lowest = 1 - format.bias;  // exponent of the subnormal numbers
    int exponent = magnitude > format.largest ? 128 : magnitude > 0 ? ilogb(magnitude) : lowest;
    if (exponent < lowest) exponent = lowest;
    double steps = exponent == 128 ? 0 : rint(ldexp(magnitude, format.mantissa_bits - exponent));
    if (exponent == 128) {  // may still round down to the largest number
        exponent = ilogb(format.largest);
        steps = rint(ldexp(magnitude < 1e6 ? magnitude : 1e6, format.mantissa_bits - exponent));
    }
    if (ldexp(steps, exponent - format.mantissa_bits) > format.largest) {
        if (saturation == __NV_NOSAT) return sign | format.overflow;
        return sign | (kind == __NV_E4M3 ? 0x7e : 0x7b);
    }
    // A subnormal number has no leading one; a carry into the exponent comes out right by itself.
    const int offset = exponent - lowest;
    return sign | static_cast<unsigned char>(static_cast<int>(steps) + (offset << format.mantissa_bits));
}

SIMT_HOST inline float decode_eight_bits(unsigned char bits, __nv_fp8_interpretation_t kind) {
    const eight_bit_format format = format_of(kind);
    const int exponent = (bits & 0x7f) >> format.mantissa_bits, mantissa = bits & ((1 << format.mantissa_bits) - 1);
    double value;
    if (kind == __NV_E4M3 && (bits & 0x7f) == 0x7f) value = __builtin_nan("");
    else if (kind == __NV_E5M2 && exponent == 31) value = mantissa ? __builtin_nan("") : __builtin_inf();
    else if (exponent == 0) value = ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
    else value = ldexp(mantissa + (1 << format.mantissa_bits), exponent - format.bias - format.mantissa_bits);
    return static_cast<float>(bits & 0x80 ? -value : value);
}

}  // namespace simt
#pragma GCC visibility pop
