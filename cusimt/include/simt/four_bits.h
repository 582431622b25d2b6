// Numbers of 4 bits: a sign, and the eight magnitudes of E2M1. There are neither infinities nor NaNs.
#pragma once
#include <math.h>

#include "device_types.h"
#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

SIMT_HOST inline float decode_four_bits(unsigned bits) {
    constexpr float magnitudes[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    return bits & 8 ? -magnitudes[bits & 7] : magnitudes[bits & 7];
}

// To nearest, ties to even, or towards zero. What is too large becomes 6, NaN too.
SIMT_HOST inline unsigned char encode_four_bits(double value, cudaRoundMode rounding) {
    if (__builtin_isnan(value)) return 7;
    const double magnitude = fabs(value);
    unsigned char bits = 0;
    while (bits < 7) {
        const double next = decode_four_bits(bits + 1), middle = (decode_four_bits(bits) + next) / 2;
        const bool rounds_up = bits % 2 ? magnitude >= middle : magnitude > middle;
        if (!(rounding == cudaRoundNearest ? rounds_up : magnitude >= next)) break;
        bits++;
    }
    return __builtin_signbit(value) ? bits | 8 : bits;
}

}  // namespace simt
#pragma GCC visibility pop
