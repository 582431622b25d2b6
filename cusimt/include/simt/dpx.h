// The DPX functions, steps of dynamic programming: a sum or two and a maximum (minimum) of up to three. _relu: at least zero;
// 16x2: on both halves of a word; __vib: and whether it was the first of two.
#pragma once
#include "simt/lanes_of_words.h"

namespace simt::dpx {

template <class T>
struct Word {
    SIMT_INLINE static T add(T a, T b) { return static_cast<T>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b)); }
    SIMT_INLINE static T max(T a, T b) { return a < b ? b : a; }
    SIMT_INLINE static T min(T a, T b) { return b < a ? b : a; }
};
template <class Lane>
struct Halves {
    using T = unsigned int;
    SIMT_INLINE static T add(T a, T b) {
        return each_lane<Lane>(a, b, [](int x, int y) SIMT_HOST { return x + y; });
    }
    SIMT_INLINE static T max(T a, T b) {
        return each_lane<Lane>(a, b, [](int x, int y) SIMT_HOST { return x < y ? y : x; });
    }
    SIMT_INLINE static T min(T a, T b) {
        return each_lane<Lane>(a, b, [](int x, int y) SIMT_HOST { return y < x ? y : x; });
    }
};

}  // namespace simt::dpx

#define SIMT_DPX(NAME, T, OF)                                                            \
    SIMT_INLINE T __viaddmax_##NAME(T a, T b, T c) { return OF::max(OF::add(a, b), c); } \
    SIMT_INLINE T __viaddmin_##NAME(T a, T b, T c) { return OF::min(OF::add(a, b), c); } \
    SIMT_INLINE T __vimax3_##NAME(T a, T b, T c) { return OF::max(OF::max(a, b), c); }   \
    SIMT_INLINE T __vimin3_##NAME(T a, T b, T c) { return OF::min(OF::min(a, b), c); }
#define SIMT_DPX_RELU(NAME, T, OF)                                                                           \
    SIMT_INLINE T __viaddmax_##NAME##_relu(T a, T b, T c) { return OF::max(__viaddmax_##NAME(a, b, c), 0); } \
    SIMT_INLINE T __viaddmin_##NAME##_relu(T a, T b, T c) { return OF::max(__viaddmin_##NAME(a, b, c), 0); } \
    SIMT_INLINE T __vimax3_##NAME##_relu(T a, T b, T c) { return OF::max(__vimax3_##NAME(a, b, c), 0); }     \
    SIMT_INLINE T __vimin3_##NAME##_relu(T a, T b, T c) { return OF::max(__vimin3_##NAME(a, b, c), 0); }     \
    SIMT_INLINE T __vimax_##NAME##_relu(T a, T b) { return OF::max(OF::max(a, b), 0); }                      \
    SIMT_INLINE T __vimin_##NAME##_relu(T a, T b) { return OF::max(OF::min(a, b), 0); }
#define SIMT_DPX_WHICH(NAME, T)                                                                \
    SIMT_INLINE T __vibmax_##NAME(T a, T b, bool* first) { return (*first = a >= b) ? a : b; } \
    SIMT_INLINE T __vibmin_##NAME(T a, T b, bool* first) { return (*first = a <= b) ? a : b; }
#define SIMT_DPX_WHICH_HALVES(NAME, LANE)                                                             \
    SIMT_INLINE unsigned int __vibmax_##NAME(unsigned int a, unsigned int b, bool* high, bool* low) { \
        *high = LANE(a >> 16) >= LANE(b >> 16), *low = LANE(a) >= LANE(b);                            \
        return simt::dpx::Halves<LANE>::max(a, b);                                                    \
    }                                                                                                 \
    SIMT_INLINE unsigned int __vibmin_##NAME(unsigned int a, unsigned int b, bool* high, bool* low) { \
        *high = LANE(a >> 16) <= LANE(b >> 16), *low = LANE(a) <= LANE(b);                            \
        return simt::dpx::Halves<LANE>::min(a, b);                                                    \
    }
typedef unsigned short simt_u16;
SIMT_DPX(s32, int, simt::dpx::Word<int>)
SIMT_DPX(u32, unsigned int, simt::dpx::Word<unsigned int>)
SIMT_DPX(s16x2, unsigned int, simt::dpx::Halves<short>)
SIMT_DPX(u16x2, unsigned int, simt::dpx::Halves<simt_u16>)
SIMT_DPX_RELU(s32, int, simt::dpx::Word<int>)
SIMT_DPX_RELU(s16x2, unsigned int, simt::dpx::Halves<short>)
SIMT_DPX_WHICH(s32, int)
SIMT_DPX_WHICH(u32, unsigned int)
SIMT_DPX_WHICH_HALVES(s16x2, short)
SIMT_DPX_WHICH_HALVES(u16x2, simt_u16)

#undef SIMT_DPX
#undef SIMT_DPX_RELU
#undef SIMT_DPX_WHICH
#undef SIMT_DPX_WHICH_HALVES
