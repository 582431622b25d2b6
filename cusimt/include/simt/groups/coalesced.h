// cooperative_groups::coalesced_group: any set of lanes of a warp, ranked from the lowest.
#pragma once
#include "simt/groups/tile.h"

namespace cooperative_groups {

class coalesced_group {
  public:
    SIMT_INLINE explicit coalesced_group(unsigned lanes) : lanes_(lanes) {}

    SIMT_INLINE unsigned thread_rank() const { return simt_rank_of(simt_lane()); }
    SIMT_INLINE unsigned size() const { return static_cast<unsigned>(__builtin_popcount(lanes_)); }
    SIMT_INLINE unsigned num_threads() const { return size(); }
    SIMT_INLINE unsigned meta_group_rank() const { return 0; }
    SIMT_INLINE unsigned meta_group_size() const { return 1; }
    SIMT_INLINE void sync() const { __syncwarp(lanes_); }
    SIMT_INLINE operator thread_group() const { return thread_group(lanes_, thread_rank(), size()); }

    template <class T>
    SIMT_INLINE T shfl(T value, unsigned rank) const {
        return simt::shuffle::index(lanes_, value, simt_lane_of(rank % size()), 32);
    }
    template <class T>
    SIMT_INLINE T shfl_up(T value, unsigned distance) const {
        unsigned rank = thread_rank();
        return simt::shuffle::index(lanes_, value, simt_lane_of(rank >= distance ? rank - distance : rank), 32);
    }
    template <class T>
    SIMT_INLINE T shfl_down(T value, unsigned distance) const {
        unsigned rank = thread_rank(), source = rank + distance;
        return simt::shuffle::index(lanes_, value, simt_lane_of(source < size() ? source : rank), 32);
    }
    SIMT_INLINE int any(int predicate) const { return __any_sync(lanes_, predicate); }
    SIMT_INLINE int all(int predicate) const { return __all_sync(lanes_, predicate); }
    SIMT_INLINE unsigned ballot(int predicate) const { return simt_ranks(__ballot_sync(lanes_, predicate)); }
    template <class T>
    SIMT_INLINE unsigned match_any(T value) const {
        return simt_ranks(__match_any_sync(lanes_, value));
    }
    template <class T>
    SIMT_INLINE unsigned match_all(T value, int& all_equal) const {
        return simt_ranks(__match_all_sync(lanes_, value, &all_equal));
    }

    SIMT_INLINE unsigned simt_lanes() const { return lanes_; }

  private:
    SIMT_INLINE unsigned simt_rank_of(unsigned lane) const {
        return static_cast<unsigned>(__builtin_popcount(lanes_ & ((1u << lane) - 1)));
    }
    SIMT_INLINE unsigned simt_lane_of(unsigned rank) const {
        unsigned lanes = lanes_;
        while (rank--) lanes &= lanes - 1;
        return static_cast<unsigned>(__builtin_ctz(lanes));
    }
    SIMT_INLINE unsigned simt_ranks(unsigned lanes) const {  // bits by lane -> bits by rank
        unsigned ranks = 0;
        for (; lanes; lanes &= lanes - 1) ranks |= 1u << simt_rank_of(static_cast<unsigned>(__builtin_ctz(lanes)));
        return ranks;
    }

    unsigned lanes_;
};

SIMT_INLINE coalesced_group coalesced_threads() { return coalesced_group(simt_active_mask()); }

// The members that brought the same label, and those that answered alike.
template <class Group, class Label>
SIMT_INLINE coalesced_group labeled_partition(const Group& group, Label label) {
    return coalesced_group(__match_any_sync(group.simt_lanes(), label));
}
template <class Group>
SIMT_INLINE coalesced_group binary_partition(const Group& group, bool predicate) {
    unsigned yes = __ballot_sync(group.simt_lanes(), predicate);
    return coalesced_group(predicate ? yes : group.simt_lanes() & ~yes);
}

template <class Group, class Function>
SIMT_INLINE void invoke_one(const Group& group, Function&& function) {
    if (group.thread_rank() == 0) function();
}
template <class Group, class Function>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Function&& function) -> decltype(function()) {
    decltype(function()) value{};
    if (group.thread_rank() == 0) value = function();
    return group.shfl(value, 0);
}

}  // namespace cooperative_groups
