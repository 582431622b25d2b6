// Lanes, warps and shuffles of values of any size. On a GPU these are PTX; here they are the intrinsics of CUDA C++.
#pragma once
#include "cub/util_type.cuh"

CUB_NAMESPACE_BEGIN

SIMT_INLINE unsigned int LaneId() { return simt_lane(); }
SIMT_INLINE unsigned int WarpId() { return simt_linear_thread() / 32; }
SIMT_INLINE unsigned int LaneMaskLt() { return (1u << LaneId()) - 1; }
SIMT_INLINE unsigned int LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
SIMT_INLINE unsigned int LaneMaskGt() { return ~LaneMaskLe(); }
SIMT_INLINE unsigned int LaneMaskGe() { return ~LaneMaskLt(); }
SIMT_INLINE int RowMajorTid(int block_x, int block_y, int) {
    return static_cast<int>((threadIdx.z * unsigned(block_y) + threadIdx.y) * unsigned(block_x) + threadIdx.x);
}
SIMT_INLINE void CTA_SYNC() { __syncthreads(); }
SIMT_INLINE int CTA_SYNC_AND(int predicate) { return __syncthreads_and(predicate); }
SIMT_INLINE int CTA_SYNC_OR(int predicate) { return __syncthreads_or(predicate); }
SIMT_INLINE void WARP_SYNC(unsigned int mask) { __syncwarp(mask); }
SIMT_INLINE int WARP_ANY(int predicate, unsigned int mask) { return __any_sync(mask, predicate); }
SIMT_INLINE int WARP_ALL(int predicate, unsigned int mask) { return __all_sync(mask, predicate); }
SIMT_INLINE unsigned int WARP_BALLOT(int predicate, unsigned int mask) { return __ballot_sync(mask, predicate); }
template <class Bits>
SIMT_INLINE unsigned int BFE(Bits source, unsigned int first, unsigned int count) {
    return static_cast<unsigned int>(source >> first) & (count >= 32 ? ~0u : (1u << count) - 1);
}

// The lanes of logical warp `warp`, each `Threads` lanes wide. Lanes beyond the last whole logical warp belong to none.
template <int Threads>
SIMT_INLINE unsigned int WarpMask(unsigned int warp) {
    return Threads >= 32 ? ~0u : ((1u << (Threads & 31)) - 1) << (warp * Threads & 31);
}

namespace simt_detail {

template <int Threads>
SIMT_INLINE unsigned logical_lane() {
    return Threads == 32 ? simt_lane() : simt_lane() % Threads;
}
template <int Threads>
SIMT_INLINE unsigned logical_mask() {
    return WarpMask<Threads>(simt_lane() / Threads);
}

// What lane `source` of the warp brings, 16 bytes at a time.
template <class T>
SIMT_INLINE T shuffle(unsigned mask, T value, unsigned source, int operation) {
    constexpr int parts = (sizeof(T) + sizeof(simt::words) - 1) / sizeof(simt::words);
    simt::words bits[parts] = {};
    __builtin_memcpy(bits, static_cast<void*>(&value), sizeof(T));
    for (int i = 0; i < parts; ++i) {
        const simt_warp_values* all = simt_warp_collect(mask, bits[i].low, bits[i].high, operation);
        bits[i] = simt::brought(all, source & 31);
    }
    __builtin_memcpy(static_cast<void*>(&value), bits, sizeof(T));
    return value;
}

}  // namespace simt_detail

// A lane whose source lies outside of its logical warp, or beyond `last`, keeps its own value.
template <int LogicalThreads, class T>
SIMT_INLINE T ShuffleDown(T input, int distance, int last, unsigned int mask) {
    int lane = static_cast<int>(simt_detail::logical_lane<LogicalThreads>());
    unsigned source = simt_lane() + static_cast<unsigned>(lane + distance <= last ? distance : 0);
    return simt_detail::shuffle(mask, input, source, simt::shuffle_down);
}
template <int LogicalThreads, class T>
SIMT_INLINE T ShuffleUp(T input, int distance, int first, unsigned int mask) {
    int lane = static_cast<int>(simt_detail::logical_lane<LogicalThreads>());
    unsigned source = simt_lane() - static_cast<unsigned>(lane - distance >= first ? distance : 0);
    return simt_detail::shuffle(mask, input, source, simt::shuffle_up);
}
template <int LogicalThreads, class T>
SIMT_INLINE T ShuffleIndex(T input, int source, unsigned int mask) {
    unsigned first = simt_lane() - simt_detail::logical_lane<LogicalThreads>();
    return simt_detail::shuffle(mask, input, first + static_cast<unsigned>(source) % LogicalThreads, simt::shuffle_index);
}

CUB_NAMESPACE_END
