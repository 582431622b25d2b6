// cooperative_groups::inclusive_scan and exclusive_scan over the threads of a tile or a coalesced group.
#pragma once
#include "cooperative_groups.h"
#ifdef __CUDACC__
#include "simt/groups/operators.h"

#pragma GCC visibility push(hidden)
namespace simt {
// Fold what the lanes below `end` brought onto `start`.
template <class T, class Operation>
SIMT_HOST inline T fold_below(const simt_warp_values* all, unsigned first, unsigned end, T start, Operation& operation) {
    for (unsigned lane = first; lane < end; ++lane)
        if (all->participants >> lane & 1) start = operation(start, from_words<T>(brought(all, lane)));
    return start;
}
}  // namespace simt
#pragma GCC visibility pop

namespace cooperative_groups {

template <class Group, class T, class Operation = plus<T>>
SIMT_INLINE T inclusive_scan(const Group& group, T value, Operation operation = Operation()) {
    simt::words bits = simt::to_words(value);
    const simt_warp_values* all = simt_warp_collect(group.simt_lanes(), bits.low, bits.high, simt::group_exchange);
    unsigned first = static_cast<unsigned>(__builtin_ctz(group.simt_lanes()));
    T start = simt::from_words<T>(simt::brought(all, first));
    T result = simt::fold_below(all, first + 1, simt_lane() + 1, start, operation);
    if constexpr (simt_wide_group<Group>) {
        T below, whole = simt::fold_below(all, first + 1, 32, start, operation);
        group.simt_fold(whole, operation, below);
        if (!Group::simt_is_in_first_warp()) return operation(below, result);
    }
    return result;
}

// The first member gets T().
template <class Group, class T, class Operation = plus<T>>
SIMT_INLINE T exclusive_scan(const Group& group, T value, Operation operation = Operation()) {
    simt::words bits = simt::to_words(value);
    const simt_warp_values* all = simt_warp_collect(group.simt_lanes(), bits.low, bits.high, simt::group_exchange);
    unsigned first = static_cast<unsigned>(__builtin_ctz(group.simt_lanes()));
    T start = simt::from_words<T>(simt::brought(all, first));
    T result = simt_lane() == first ? T() : simt::fold_below(all, first + 1, simt_lane(), start, operation);
    if constexpr (simt_wide_group<Group>) {
        T below, whole = simt::fold_below(all, first + 1, 32, start, operation);
        group.simt_fold(whole, operation, below);
        if (!Group::simt_is_in_first_warp()) return simt_lane() == first ? below : operation(below, result);
    }
    return result;
}

}  // namespace cooperative_groups
#endif
