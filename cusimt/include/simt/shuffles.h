// __shfl_sync, __shfl_up_sync, __shfl_down_sync, __shfl_xor_sync.
//
// Lane arithmetic as the PTX manual defines it for `shfl`: `segment` keeps the high bits of the lane, so that a width below
// 32 splits the warp; a source outside the segment gives the lane its own value back.
#pragma once
#include "simt/warp_values.h"

namespace simt {

SIMT_INLINE unsigned segment_mask(int width) { return (32u - static_cast<unsigned>(width)) & 31u; }

SIMT_INLINE unsigned source_index(unsigned lane, unsigned operand, int width) {
    unsigned segment = segment_mask(width);
    return (lane & segment) | (operand & ~segment & 31u);
}

SIMT_INLINE unsigned source_up(unsigned lane, unsigned operand, int width) {
    unsigned distance = operand & 31u, first = lane & segment_mask(width);
    return lane >= first + distance ? lane - distance : lane;
}

SIMT_INLINE unsigned source_down(unsigned lane, unsigned operand, int width) {
    unsigned last = lane | (~segment_mask(width) & 31u), source = lane + (operand & 31u);
    return source <= last ? source : lane;
}

SIMT_INLINE unsigned source_xor_(unsigned lane, unsigned operand, int width) {
    unsigned last = lane | (~segment_mask(width) & 31u), source = lane ^ (operand & 31u);
    return source <= last ? source : lane;
}

#define SIMT_SHUFFLE(NAME, OPERATION)                                                          \
    template <class T>                                                                         \
    SIMT_INLINE T NAME(unsigned mask, T value, unsigned operand, int width) {                  \
        words bits = to_words(value);                                                          \
        const simt_warp_values* all = simt_warp_collect(mask, bits.low, bits.high, OPERATION); \
        unsigned source = source_##NAME(simt_lane(), operand, width);                          \
        if (!has_brought(all, source)) simt_absent_lane(source);                               \
        return from_words<T>(brought(all, source));                                            \
    }
namespace shuffle {
SIMT_SHUFFLE(index, shuffle_index)
SIMT_SHUFFLE(up, shuffle_up)
SIMT_SHUFFLE(down, shuffle_down)
SIMT_SHUFFLE(xor_, shuffle_xor)
}  // namespace shuffle
#undef SIMT_SHUFFLE

}  // namespace simt

#define SIMT_SHUFFLES_OF(T)                                                                     \
    SIMT_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {               \
        return simt::shuffle::index(mask, value, static_cast<unsigned>(lane), width);           \
    }                                                                                           \
    SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {   \
        return simt::shuffle::up(mask, value, distance, width);                                 \
    }                                                                                           \
    SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) { \
        return simt::shuffle::down(mask, value, distance, width);                               \
    }                                                                                           \
    SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {          \
        return simt::shuffle::xor_(mask, value, static_cast<unsigned>(lanes), width);           \
    }
SIMT_SHUFFLES_OF(int)
SIMT_SHUFFLES_OF(unsigned int)
SIMT_SHUFFLES_OF(long)
SIMT_SHUFFLES_OF(unsigned long)
SIMT_SHUFFLES_OF(long long)
SIMT_SHUFFLES_OF(unsigned long long)
SIMT_SHUFFLES_OF(float)
SIMT_SHUFFLES_OF(double)
