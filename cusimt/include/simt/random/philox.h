// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011), as cuRAND draws from it.
#pragma once
#include <stdint.h>

#include "simt/qualifiers.h"
#include "simt/random/states.h"

namespace simt {

SIMT_INLINE uint4 philox_round(uint4 counter, uint2 key) {
    uint64_t first = UINT64_C(0xD2511F53) * counter.x, second = UINT64_C(0xCD9E8D57) * counter.z;
    return uint4{static_cast<uint32_t>(second >> 32) ^ counter.y ^ key.x, static_cast<uint32_t>(second),
                 static_cast<uint32_t>(first >> 32) ^ counter.w ^ key.y, static_cast<uint32_t>(first)};
}

// The four random words that belong to a counter and a key.
SIMT_INLINE uint4 philox4x32_10(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        counter = philox_round(counter, key);
        key = uint2{key.x + 0x9E3779B9u, key.y + 0xBB67AE85u};
    }
    return counter;
}

// The counter, as a number of 128 bits, plus n.
SIMT_INLINE uint4 counter_plus(uint4 counter, uint64_t n) {
    uint64_t low = (static_cast<uint64_t>(counter.y) << 32 | counter.x) + n;
    uint64_t high = (static_cast<uint64_t>(counter.w) << 32 | counter.z) + (low < n);
    return uint4{static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high),
                 static_cast<uint32_t>(high >> 32)};
}

}  // namespace simt

// Ahead by n words; ahead by n subsequences of 2^66 words each.
SIMT_INLINE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    unsigned long long words = state->STATE + n % 4;
    state->STATE = static_cast<unsigned int>(words % 4);
    state->ctr = simt::counter_plus(state->ctr, n / 4 + words / 4);
    state->output = simt::philox4x32_10(state->ctr, state->key);
}
SIMT_INLINE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    uint64_t high = (static_cast<uint64_t>(state->ctr.w) << 32 | state->ctr.z) + n;
    state->ctr.z = static_cast<uint32_t>(high), state->ctr.w = static_cast<uint32_t>(high >> 32);
    state->output = simt::philox4x32_10(state->ctr, state->key);
}

SIMT_INLINE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStatePhilox4_32_10_t* state) {
    *state = {};
    state->key = uint2{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

SIMT_INLINE unsigned int curand(curandStatePhilox4_32_10_t* state) {
    uint4 words = state->output;
    unsigned int place = state->STATE, word = place == 0 ? words.x : place == 1 ? words.y : place == 2 ? words.z : words.w;
    skipahead(1, state);
    return word;
}

// The next four words.
SIMT_INLINE uint4 curand4(curandStatePhilox4_32_10_t* state) {
    uint4 old = state->output;
    skipahead(4, state);
    uint4 fresh = state->output;
    switch (state->STATE) {
        case 0: return old;
        case 1: return uint4{old.y, old.z, old.w, fresh.x};
        case 2: return uint4{old.z, old.w, fresh.x, fresh.y};
        default: return uint4{old.w, fresh.x, fresh.y, fresh.z};
    }
}
