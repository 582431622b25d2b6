// cub::BlockExchange: rearrange the items of a block through shared memory.
//
// Blocked: thread t holds items t*I ... t*I+I-1. Striped: item t + i*threads. Warp-striped: striped within each warp's share.
#pragma once
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int BlockX, int Items, bool WarpTimeSlicing = false, int BlockY = 1, int BlockZ = 1, int Unused = 0>
class BlockExchange {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    static constexpr int warp_threads = shape::threads < 32 ? shape::threads : 32;
    static constexpr int tile = shape::threads * Items;
    // One word in 32 is left out where neighbouring threads would otherwise meet in one bank.
    static constexpr bool padded = Items > 4 && PowerOfTwo<Items>::VALUE;
    struct storage {
        T items[tile + (padded ? tile / 32 : 0)];
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockExchange() : storage_(private_storage()), thread_(shape::thread()) {}
    SIMT_INLINE explicit BlockExchange(TempStorage& temp) : storage_(temp.Alias()), thread_(shape::thread()) {}

#define SIMT_CUB_EXCHANGE(NAME, FROM, TO, SYNC)                          \
    template <class Out>                                                 \
    SIMT_INLINE void NAME(const T(&input)[Items], Out(&output)[Items]) { \
        for (int i = 0; i < Items; ++i) at(FROM(i)) = input[i];          \
        SYNC;                                                            \
        for (int i = 0; i < Items; ++i) output[i] = at(TO(i));           \
    }                                                                    \
    SIMT_INLINE void NAME(T(&items)[Items]) { NAME(items, items); }
    SIMT_CUB_EXCHANGE(StripedToBlocked, striped, blocked, __syncthreads())
    SIMT_CUB_EXCHANGE(BlockedToStriped, blocked, striped, __syncthreads())
    SIMT_CUB_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked, __syncwarp(warp_mask()))
    SIMT_CUB_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped, __syncwarp(warp_mask()))
#undef SIMT_CUB_EXCHANGE

    // Item i goes to place ranks[i] of the block.
    template <class Out, class Offset>
    SIMT_INLINE void ScatterToBlocked(const T (&input)[Items], Out (&output)[Items], const Offset (&ranks)[Items]) {
        for (int i = 0; i < Items; ++i) at(static_cast<int>(ranks[i])) = input[i];
        __syncthreads();
        for (int i = 0; i < Items; ++i) output[i] = at(blocked(i));
    }
    template <class Out, class Offset>
    SIMT_INLINE void ScatterToStriped(const T (&input)[Items], Out (&output)[Items], const Offset (&ranks)[Items]) {
        for (int i = 0; i < Items; ++i) at(static_cast<int>(ranks[i])) = input[i];
        __syncthreads();
        for (int i = 0; i < Items; ++i) output[i] = at(striped(i));
    }
    template <class Offset>
    SIMT_INLINE void ScatterToBlocked(T (&items)[Items], const Offset (&ranks)[Items]) {
        ScatterToBlocked(items, items, ranks);
    }
    template <class Offset>
    SIMT_INLINE void ScatterToStriped(T (&items)[Items], const Offset (&ranks)[Items]) {
        ScatterToStriped(items, items, ranks);
    }
    // Stores items with a non-negative rank; stores flagged items.
    template <class Offset>
    SIMT_INLINE void ScatterToStripedGuarded(T (&items)[Items], const Offset (&ranks)[Items]) {
        bool flags[Items];
        for (int i = 0; i < Items; ++i) flags[i] = ranks[i] >= 0;
        ScatterToStripedFlagged(items, ranks, flags);
    }
    template <class Offset, class Flag>
    SIMT_INLINE void ScatterToStripedFlagged(T (&items)[Items], const Offset (&ranks)[Items], const Flag (&flags)[Items]) {
        for (int i = 0; i < Items; ++i)
            if (flags[i]) at(static_cast<int>(ranks[i])) = items[i];
        __syncthreads();
        for (int i = 0; i < Items; ++i) items[i] = at(striped(i));
    }

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }
    SIMT_INLINE T& at(int place) { return storage_.items[padded ? place + place / 32 : place]; }
    SIMT_INLINE int blocked(int i) const { return thread_ * Items + i; }
    SIMT_INLINE int striped(int i) const { return thread_ + i * shape::threads; }
    SIMT_INLINE int warp_striped(int i) const {
        return thread_ / warp_threads * warp_threads * Items + thread_ % warp_threads + i * warp_threads;
    }
    SIMT_INLINE static unsigned warp_mask() { return ~0u >> (32 - warp_threads); }

    storage& storage_;
    int thread_;
};

CUB_NAMESPACE_END
