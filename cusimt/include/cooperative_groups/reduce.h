// cooperative_groups::reduce over the threads of a tile or a coalesced group.
#pragma once
#include "cooperative_groups.h"
#ifdef __CUDACC__
#include "simt/groups/operators.h"

namespace cooperative_groups {

// Every member gets the result. `operation` is applied from the lowest rank up; CUDA leaves the order open.
template <class Group, class T, class Operation>
SIMT_INLINE T reduce(const Group& group, T value, Operation&& operation) {
    simt::words bits = simt::to_words(value);
    const simt_warp_values* all = simt_warp_collect(group.simt_lanes(), bits.low, bits.high, simt::group_exchange);
    T of_warp = simt::fold_lanes<T>(all, operation);
    if constexpr (simt_wide_group<Group>) {
        T unused;
        return group.simt_fold(of_warp, operation, unused);
    }
    return of_warp;
}

}  // namespace cooperative_groups
#endif
