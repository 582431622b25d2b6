// 16-bit floating-point formats: Exponent bits, Mantissa bits stored. binary16 is <5, 10>, bfloat16 <8, 7>.
#pragma once
#include <math.h>
#include <stdint.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

enum rounding { nearest, towards_zero, upward, downward };

SIMT_INLINE bool rounds_away(rounding mode, bool negative, bool odd, uint64_t rest, uint64_t half) {
    switch (mode) {
        case nearest: return rest > half || (rest == half && odd);
        case towards_zero: return false;
        case upward: return !negative && rest != 0;
        default: return negative && rest != 0;
    }
}

// `value` rounded once, from double: exact for every float and integer up to 2^53. NaN gives 0x7fff, as on a GPU.
template <int Exponent, int Mantissa>
SIMT_HOST inline uint16_t encode(double value, rounding mode = nearest) {
    constexpr int bias = (1 << (Exponent - 1)) - 1, least_exponent = 1 - bias;
    constexpr uint16_t infinity = ((1 << Exponent) - 1) << Mantissa;
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    uint16_t sign = negative ? 0x8000 : 0;
    int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    uint64_t significand = bits & 0xfffffffffffff;
    if (exponent == 1024) return significand ? 0x7fff : sign | infinity;
    if (exponent == -1023) exponent = -1022;  // subnormal double: no hidden bit
    else significand |= UINT64_C(1) << 52;

    int shift = 52 - Mantissa + (exponent < least_exponent ? least_exponent - exponent : 0);
    if (shift > 62) shift = 62;  // nothing of the significand is kept, all of it counts for the rounding
    uint64_t kept = significand >> shift, rest = significand - (kept << shift);
    kept += rounds_away(mode, negative, kept & 1, rest, UINT64_C(1) << (shift - 1));
    // A carry out of the significand moves into the exponent by itself; subnormals have a biased exponent of 0.
    uint64_t hidden = exponent < least_exponent ? 0 : static_cast<uint64_t>(exponent + bias - 1) << Mantissa;
    uint64_t result = hidden + kept;
    if (result < infinity) return static_cast<uint16_t>(sign | result);
    bool to_infinity = mode == nearest || mode == (negative ? downward : upward);
    return static_cast<uint16_t>(sign | (to_infinity ? infinity : infinity - 1));
}

template <int Exponent, int Mantissa>
SIMT_HOST inline float decode(uint16_t code) {
    uint32_t sign = static_cast<uint32_t>(code & 0x8000) << 16, mantissa = code & ((1u << Mantissa) - 1);
    uint32_t exponent = code >> Mantissa & ((1u << Exponent) - 1), bits;
    if (Exponent == 8) bits = static_cast<uint32_t>(code) << 16;
    else if (exponent == (1u << Exponent) - 1) bits = mantissa ? 0x7fffffff : sign | 0x7f800000;
    else if (exponent != 0) bits = sign | (exponent + 128 - (1u << (Exponent - 1))) << 23 | mantissa << (23 - Mantissa);
    else {
        float subnormal = static_cast<float>(mantissa) * (1.0f / (1 << 24));
        __builtin_memcpy(&bits, &subnormal, sizeof bits);
        bits |= sign;
    }
    float result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

// a * b + c for operands of 16 bits, rounded to odd: a second rounding to 16 bits then gives what one rounding would.
SIMT_HOST inline double fused(float a, float b, float c) {
    double product = static_cast<double>(a) * b;  // exact: two short significands
    double sum = product + c, part = sum - product;
    double error = (product - (sum - part)) + (c - part);
    if (!(error != 0) || __builtin_isinf(sum)) return sum;
    uint64_t bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    if (!(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1;
    __builtin_memcpy(&sum, &bits, sizeof sum);
    return sum;
}

// Towards zero; out of range saturates. NaN gives 0, and the lowest value for 64 bits, as the hardware does.
template <class Integer>
SIMT_HOST inline Integer saturated_integer(float value) {
    constexpr bool is_signed = Integer(-1) < Integer(0);
    constexpr int bits = 8 * sizeof(Integer);
    constexpr Integer lowest = is_signed ? Integer(uint64_t(1) << (bits - 1)) : Integer(0);
    constexpr Integer highest = Integer(~lowest);
    if (__builtin_isnan(value)) return bits < 64 ? Integer(0) : Integer(uint64_t(1) << 63);
    if (value <= static_cast<float>(lowest)) return lowest;
    if (value >= static_cast<float>(highest)) return highest;
    return static_cast<Integer>(value);
}

// An integer of more than 53 bits loses its lowest ones to a sticky bit before it becomes a double.
template <class T, class Integer>
SIMT_HOST inline T from_integer(Integer value, rounding mode) {
    bool negative = value < Integer(0);
    uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    double exact = magnitude >> 53 ? 4096.0 * static_cast<double>(magnitude >> 12 | ((magnitude & 4095) != 0))
                                   : static_cast<double>(magnitude);
    return T::simt_round(negative ? -exact : exact, mode);
}

// The larger operand; a number beats NaN and +0 beats -0.
SIMT_HOST inline float larger(float a, float b) {
    if (__builtin_isnan(a)) return b;
    return __builtin_isnan(b) || a > b || (a == b && __builtin_signbit(b)) ? a : b;
}

SIMT_HOST inline float saturated_unit(float x) { return x >= 0 ? (x > 1 ? 1.0f : x) : 0.0f; }

}  // namespace simt
#pragma GCC visibility pop
