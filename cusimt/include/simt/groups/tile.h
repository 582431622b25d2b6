// cooperative_groups::thread_block_tile<N>: N neighbouring lanes of a warp, N a power of two up to 32. Larger ones:
// wide_tile.h.
#pragma once
#include "simt/groups/block.h"
#include "simt/shuffles.h"
#include "simt/votes.h"

namespace cooperative_groups {

template <unsigned Size, class Parent = void>
class thread_block_tile {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");

  public:
    SIMT_INLINE explicit thread_block_tile(unsigned group_rank, unsigned groups) : group_rank_(group_rank), groups_(groups) {}
    // What a tile was cut from can be forgotten: `thread_block_tile<8> tile = tiled_partition<8>(block);`
    template <class Other>
    SIMT_INLINE thread_block_tile(const thread_block_tile<Size, Other>& other)
        : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}

    SIMT_INLINE static unsigned thread_rank() { return simt_lane() % Size; }
    SIMT_INLINE static constexpr unsigned size() { return Size; }
    SIMT_INLINE static constexpr unsigned num_threads() { return Size; }
    SIMT_INLINE unsigned meta_group_rank() const { return group_rank_; }
    SIMT_INLINE unsigned meta_group_size() const { return groups_; }
    SIMT_INLINE void sync() const { __syncwarp(simt_lanes()); }
    SIMT_INLINE operator thread_group() const { return thread_group(simt_lanes(), thread_rank(), Size); }

    template <class T>
    SIMT_INLINE T shfl(T value, unsigned rank) const {
        return simt::shuffle::index(simt_lanes(), value, rank, Size);
    }
    template <class T>
    SIMT_INLINE T shfl_up(T value, unsigned distance) const {
        return simt::shuffle::up(simt_lanes(), value, distance, Size);
    }
    template <class T>
    SIMT_INLINE T shfl_down(T value, unsigned distance) const {
        return simt::shuffle::down(simt_lanes(), value, distance, Size);
    }
    template <class T>
    SIMT_INLINE T shfl_xor(T value, unsigned lanes) const {
        return simt::shuffle::xor_(simt_lanes(), value, lanes, Size);
    }
    SIMT_INLINE int any(int predicate) const { return __any_sync(simt_lanes(), predicate); }
    SIMT_INLINE int all(int predicate) const { return __all_sync(simt_lanes(), predicate); }
    SIMT_INLINE unsigned ballot(int predicate) const { return __ballot_sync(simt_lanes(), predicate) >> simt_first(); }
    template <class T>
    SIMT_INLINE unsigned match_any(T value) const {
        return __match_any_sync(simt_lanes(), value) >> simt_first();
    }
    template <class T>
    SIMT_INLINE unsigned match_all(T value, int& all_equal) const {
        return __match_all_sync(simt_lanes(), value, &all_equal) >> simt_first();
    }

    // For reduce and scan: which lanes belong to the group, as bits and as the first of them.
    SIMT_INLINE static unsigned simt_first() { return simt_lane() / Size * Size; }
    SIMT_INLINE static unsigned simt_lanes() { return ~0u >> (32 - Size) << simt_first(); }

  private:
    unsigned group_rank_, groups_;
};

template <unsigned Size, class Parent>
SIMT_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
    unsigned members = static_cast<unsigned>(parent.size());
    return thread_block_tile<Size, Parent>(static_cast<unsigned>(parent.thread_rank()) / Size, (members + Size - 1) / Size);
}

// The size is known at run time only: a power of two up to 32.
SIMT_INLINE thread_group tiled_partition(const thread_group&, unsigned size) {
    unsigned first = simt_lane() / size * size, lanes = size >= 32 ? ~0u : (1u << size) - 1;
    return thread_group(lanes << first, simt_lane() - first, size);
}

}  // namespace cooperative_groups
