// How the lanes of a warp hand values to each other: each brings one, all see all. Every warp intrinsic is built on it.
#pragma once
#include <simt_api.h>
#include <stdint.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

// One tag per intrinsic: lanes that meet in different ones are an error of the program.
enum warp_operation {
    warp_sync = 1,
    shuffle_index,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    vote_all,
    vote_any,
    vote_ballot,
    match_any,
    match_all,
    reduce_add,
    reduce_min,
    reduce_max,
    reduce_and,
    reduce_or,
    reduce_xor,
    group_exchange,
    matrix_load,
    matrix_store,
    matrix_multiply,
    matrix_multiplied
};

struct words {  // any value of up to 16 bytes
    uint64_t low, high;
};

template <class T>
SIMT_INLINE words to_words(T value) {
    static_assert(sizeof(T) <= sizeof(words), "a warp exchanges values of at most 16 bytes");
    words result = {0, 0};
    __builtin_memcpy(&result, &value, sizeof(T));
    return result;
}

template <class T>
SIMT_INLINE T from_words(words bits) {
    T result;
    __builtin_memcpy(static_cast<void*>(&result), &bits, sizeof(T));
    return result;
}

// The value that a lane brought. A lane that took no part has none: CUDA leaves the result undefined, and all ones (NaN,
// -1) is easier to notice than a plausible number.
SIMT_HOST inline words brought(const simt_warp_values* all, unsigned lane) {
    if (!(all->participants >> lane & 1)) return {~UINT64_C(0), ~UINT64_C(0)};
    return {all->value[lane][0], all->value[lane][1]};
}

SIMT_HOST inline bool has_brought(const simt_warp_values* all, unsigned lane) { return all->participants >> lane & 1; }

SIMT_HOST inline uint32_t participants(const simt_warp_values* all) { return all->participants; }

// Lanes that brought exactly `wanted`.
SIMT_HOST inline uint32_t lanes_with(const simt_warp_values* all, words wanted) {
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (all->participants >> lane & 1 && all->value[lane][0] == wanted.low && all->value[lane][1] == wanted.high)
            lanes |= 1u << lane;
    return lanes;
}

// Lanes that brought something other than zero.
SIMT_HOST inline uint32_t lanes_set(const simt_warp_values* all) { return all->participants & ~lanes_with(all, words{0, 0}); }

}  // namespace simt
#pragma GCC visibility pop

SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffff) { simt_warp_collect(mask, 0, 0, simt::warp_sync); }
SIMT_INLINE unsigned __activemask() { return simt_active_mask(); }
