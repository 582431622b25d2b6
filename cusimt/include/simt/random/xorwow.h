// XORWOW (Marsaglia: Xorshift RNGs; 2003), seeded as cuRAND seeds it.
#pragma once
#include <simt_api.h>
#include <stdint.h>

#include "simt/qualifiers.h"
#include "simt/random/states.h"

namespace simt {
constexpr unsigned xorwow_step = 362437;  // what the counter d grows by
SIMT_INLINE void xorwow_ahead(curandStateXORWOW_t* state, uint64_t n, int log2_unit) {
    uint32_t v[5];
    for (int i = 0; i < 5; ++i) v[i] = state->v[i];
    simt_xorwow_ahead(v, n, log2_unit);
    for (int i = 0; i < 5; ++i) state->v[i] = v[i];
}
}  // namespace simt

// Ahead by n words; ahead by n subsequences of 2^67 words each, after which the counter is what it was.
SIMT_INLINE void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
    simt::xorwow_ahead(state, n, 0);
    state->d += simt::xorwow_step * static_cast<unsigned int>(n);
}
SIMT_INLINE void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) { simt::xorwow_ahead(state, n, 67); }

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStateXORWOW_t* state) {
    *state = {};
    unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
    unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

SIMT_INLINE unsigned int curand(curandStateXORWOW_t* state) {
    unsigned int t = state->v[0] ^ state->v[0] >> 2, last = state->v[4];
    for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
    state->v[4] = last ^ last << 4 ^ t ^ t << 1;
    state->d += simt::xorwow_step;
    return state->v[4] + state->d;
}
