// Intrinsics that treat a 32-bit word as two halfwords or four bytes: __vadd2, __vcmpgtu4, __vsadu4, ...
#pragma once
#include "simt/qualifiers.h"

namespace simt {

template <class Lane, class Operation>
SIMT_INLINE unsigned each_lane(unsigned a, unsigned b, Operation operation) {
    constexpr int width = 8 * sizeof(Lane);
    constexpr unsigned ones = width == 8 ? 0xffu : 0xffffu;
    unsigned result = 0;
    for (int at = 0; at < 32; at += width) {
        int lane = operation(static_cast<int>(static_cast<Lane>(a >> at)), static_cast<int>(static_cast<Lane>(b >> at)));
        result |= (static_cast<unsigned>(lane) & ones) << at;
    }
    return result;
}
// Kept within the range of the lane's type.
template <class Lane>
SIMT_INLINE int saturated(int value) {
    constexpr bool is_signed = Lane(-1) < Lane(0);
    constexpr int span = 1 << (8 * sizeof(Lane) - is_signed), lowest = is_signed ? -span : 0;
    return value < lowest ? lowest : value >= span ? span - 1 : value;
}
template <class Lane>
SIMT_INLINE unsigned sum_of_differences(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (int at = 0; at < 32; at += 8 * static_cast<int>(sizeof(Lane))) {
        int difference = static_cast<int>(static_cast<Lane>(a >> at)) - static_cast<int>(static_cast<Lane>(b >> at));
        sum += static_cast<unsigned>(difference < 0 ? -difference : difference);
    }
    return sum;
}

}  // namespace simt

#define SIMT_OF_LANES(NAME, LANE, EXPRESSION)                                                  \
    SIMT_INLINE unsigned int NAME(unsigned int a, unsigned int b) {                            \
        return simt::each_lane<LANE>(a, b, [](int x, int y) SIMT_HOST { return EXPRESSION; }); \
    }
#define SIMT_OF_EACH(NAME, LANE, EXPRESSION)                                                 \
    SIMT_INLINE unsigned int NAME(unsigned int a) {                                          \
        return simt::each_lane<LANE>(a, 0, [](int x, int) SIMT_HOST { return EXPRESSION; }); \
    }
#define SIMT_COMPARES(N, SIGN, LANE, SUFFIX, NAME)            \
    SIMT_OF_LANES(__vcmp##NAME##SUFFIX##N, LANE, -(x SIGN y)) \
    SIMT_OF_LANES(__vset##NAME##SUFFIX##N, LANE, x SIGN y)
#define SIMT_ORDERED(N, LANE, SUFFIX)                                       \
    SIMT_COMPARES(N, >=, LANE, SUFFIX, ge)                                  \
    SIMT_COMPARES(N, >, LANE, SUFFIX, gt)                                   \
    SIMT_COMPARES(N, <=, LANE, SUFFIX, le)                                  \
    SIMT_COMPARES(N, <, LANE, SUFFIX, lt)                                   \
    SIMT_OF_LANES(__vmax##SUFFIX##N, LANE, x > y ? x : y)                   \
    SIMT_OF_LANES(__vmin##SUFFIX##N, LANE, x < y ? x : y)                   \
    SIMT_OF_LANES(__vabsdiff##SUFFIX##N, LANE, x > y ? x - y : y - x)       \
    SIMT_OF_LANES(__vadd##SUFFIX##s##N, LANE, simt::saturated<LANE>(x + y)) \
    SIMT_OF_LANES(__vsub##SUFFIX##s##N, LANE, simt::saturated<LANE>(x - y)) \
    SIMT_INLINE unsigned int __vsad##SUFFIX##N(unsigned int a, unsigned int b) { return simt::sum_of_differences<LANE>(a, b); }
// SIGNED, UNSIGNED: the types of a lane; N: how many there are.
#define SIMT_LANES_OF(N, SIGNED, UNSIGNED)                                         \
    SIMT_ORDERED(N, SIGNED, s)                                                     \
    SIMT_ORDERED(N, UNSIGNED, u)                                                   \
    SIMT_COMPARES(N, ==, UNSIGNED, , eq)                                           \
    SIMT_COMPARES(N, !=, UNSIGNED, , ne)                                           \
    SIMT_OF_LANES(__vadd##N, UNSIGNED, x + y)                                      \
    SIMT_OF_LANES(__vsub##N, UNSIGNED, x - y)                                      \
    SIMT_OF_LANES(__vavgs##N, SIGNED, x + y < 0 ? (x + y) >> 1 : (x + y + 1) >> 1) \
    SIMT_OF_LANES(__vavgu##N, UNSIGNED, (x + y + 1) >> 1)                          \
    SIMT_OF_LANES(__vhaddu##N, UNSIGNED, (x + y) >> 1)                             \
    SIMT_OF_EACH(__vabs##N, SIGNED, x < 0 ? -x : x)                                \
    SIMT_OF_EACH(__vabsss##N, SIGNED, simt::saturated<SIGNED>(x < 0 ? -x : x))     \
    SIMT_OF_EACH(__vneg##N, SIGNED, -x)                                            \
    SIMT_OF_EACH(__vnegss##N, SIGNED, simt::saturated<SIGNED>(-x))
SIMT_LANES_OF(2, signed short, unsigned short)
SIMT_LANES_OF(4, signed char, unsigned char)
#undef SIMT_LANES_OF
#undef SIMT_ORDERED
#undef SIMT_COMPARES
#undef SIMT_OF_EACH
#undef SIMT_OF_LANES

// c plus the products of two halfwords with two bytes: the low two of the word, or the high two. Sums wrap.
#define SIMT_DOT_TWO(NAME, FIRST_BYTE)                                                                           \
    SIMT_INLINE int NAME(int a, int b, int c) {                                                                  \
        int products = static_cast<short>(a) * static_cast<signed char>(b >> 8 * FIRST_BYTE) +                   \
                       static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8 * (FIRST_BYTE + 1));        \
        return static_cast<int>(static_cast<unsigned>(c) + static_cast<unsigned>(products));                     \
    }                                                                                                            \
    SIMT_INLINE unsigned int NAME(unsigned int a, unsigned int b, unsigned int c) {                              \
        return c + (a & 0xffff) * (b >> 8 * FIRST_BYTE & 0xff) + (a >> 16) * (b >> 8 * (FIRST_BYTE + 1) & 0xff); \
    }
SIMT_DOT_TWO(__dp2a_lo, 0)
SIMT_DOT_TWO(__dp2a_hi, 2)
#undef SIMT_DOT_TWO

// The position of the n-th set bit of `mask`, counted from bit `base` upwards (offset > 0) or downwards (offset < 0); all ones
// when there is none.
SIMT_INLINE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
        if (!(mask >> at & 1)) {
            if (offset == 0) return 0xffffffffu;
            continue;
        }
        if (left <= 1) return static_cast<unsigned int>(at);
        --left;
    }
    return 0xffffffffu;
}
