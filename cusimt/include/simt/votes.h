// Votes, matches and integer reductions over the lanes of a mask.
#pragma once
#include "simt/warp_values.h"

namespace simt {
SIMT_INLINE uint32_t vote(unsigned mask, int predicate, int operation, uint32_t& voters) {
    const simt_warp_values* all = simt_warp_collect(mask, predicate != 0, 0, operation);
    voters = participants(all);
    return lanes_set(all);
}
}  // namespace simt

SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
    uint32_t voters;
    return simt::vote(mask, predicate, simt::vote_ballot, voters);
}
SIMT_INLINE int __all_sync(unsigned mask, int predicate) {
    uint32_t voters, yes = simt::vote(mask, predicate, simt::vote_all, voters);
    return yes == voters;
}
SIMT_INLINE int __any_sync(unsigned mask, int predicate) {
    uint32_t voters;
    return simt::vote(mask, predicate, simt::vote_any, voters) != 0;
}
SIMT_INLINE int __uni_sync(unsigned mask, int predicate) {
    uint32_t voters, yes = simt::vote(mask, predicate, simt::vote_all, voters);
    return yes == voters || yes == 0;
}

#define SIMT_MATCHES_OF(T)                                                                            \
    SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {                                   \
        simt::words bits = simt::to_words(value);                                                     \
        return simt::lanes_with(simt_warp_collect(mask, bits.low, bits.high, simt::match_any), bits); \
    }                                                                                                 \
    SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all_equal) {                   \
        simt::words bits = simt::to_words(value);                                                     \
        const simt_warp_values* all = simt_warp_collect(mask, bits.low, bits.high, simt::match_all);  \
        *all_equal = simt::lanes_with(all, bits) == simt::participants(all);                          \
        return *all_equal ? simt::participants(all) : 0;                                              \
    }
SIMT_MATCHES_OF(int)
SIMT_MATCHES_OF(unsigned int)
SIMT_MATCHES_OF(long)
SIMT_MATCHES_OF(unsigned long)
SIMT_MATCHES_OF(long long)
SIMT_MATCHES_OF(unsigned long long)
SIMT_MATCHES_OF(float)
SIMT_MATCHES_OF(double)
#undef SIMT_MATCHES_OF

#pragma GCC visibility push(hidden)
namespace simt {
// Fold what the lanes brought, lowest lane first.
template <class T, class Fold>
SIMT_HOST inline T fold_lanes(const simt_warp_values* all, Fold fold) {
    unsigned lane = __builtin_ctz(all->participants);
    T result = from_words<T>(brought(all, lane));
    for (++lane; lane < 32; ++lane)
        if (all->participants >> lane & 1) result = fold(result, from_words<T>(brought(all, lane)));
    return result;
}
}  // namespace simt
#pragma GCC visibility pop

#define SIMT_REDUCE(NAME, T, OPERATION, EXPRESSION)                                            \
    SIMT_INLINE T NAME(unsigned mask, T value) {                                               \
        simt::words bits = simt::to_words(value);                                              \
        const simt_warp_values* all = simt_warp_collect(mask, bits.low, bits.high, OPERATION); \
        return simt::fold_lanes<T>(all, [](T a, T b) SIMT_HOST { return EXPRESSION; });        \
    }
SIMT_REDUCE(__reduce_add_sync, unsigned int, simt::reduce_add, a + b)
SIMT_REDUCE(__reduce_min_sync, unsigned int, simt::reduce_min, b < a ? b : a)
SIMT_REDUCE(__reduce_max_sync, unsigned int, simt::reduce_max, a < b ? b : a)
SIMT_REDUCE(__reduce_and_sync, unsigned int, simt::reduce_and, a& b)
SIMT_REDUCE(__reduce_or_sync, unsigned int, simt::reduce_or, a | b)
SIMT_REDUCE(__reduce_xor_sync, unsigned int, simt::reduce_xor, a ^ b)
SIMT_REDUCE(__reduce_add_sync, int, simt::reduce_add, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
SIMT_REDUCE(__reduce_min_sync, int, simt::reduce_min, b < a ? b : a)
SIMT_REDUCE(__reduce_max_sync, int, simt::reduce_max, a < b ? b : a)
#undef SIMT_REDUCE
