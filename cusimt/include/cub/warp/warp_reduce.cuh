// cub::WarpReduce: the first lane of each logical warp gets the result, by CUB's tree of shuffles.
#pragma once
#include "cub/thread/thread_reduce.cuh"
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int LogicalThreads = 32, int Unused = 0>
class WarpReduce {
    static_assert(LogicalThreads >= 1 && LogicalThreads <= 32, "a logical warp has 1 to 32 threads");

  public:
    typedef NullType TempStorage;

    SIMT_INLINE WarpReduce() {}
    SIMT_INLINE explicit WarpReduce(TempStorage&) {}

    SIMT_INLINE T Sum(T input) { return Reduce(input, cub_sum()); }
    SIMT_INLINE T Sum(T input, int valid_items) { return Reduce(input, cub_sum(), valid_items); }
    SIMT_INLINE T Max(T input) { return Reduce(input, cub_max()); }
    SIMT_INLINE T Max(T input, int valid_items) { return Reduce(input, cub_max(), valid_items); }
    SIMT_INLINE T Min(T input) { return Reduce(input, cub_min()); }
    SIMT_INLINE T Min(T input, int valid_items) { return Reduce(input, cub_min(), valid_items); }

    template <class Operator>
    SIMT_INLINE T Reduce(T input, Operator op) {
        return up_to(input, op, LogicalThreads - 1);
    }
    // Reduces the items of the first `valid_items` lanes.
    template <class Operator>
    SIMT_INLINE T Reduce(T input, Operator op, int valid_items) {
        return up_to(input, op, valid_items - 1);
    }
    template <int Items, class Operator>
    SIMT_INLINE T Reduce(const T (&input)[Items], Operator op) {
        return Reduce(ThreadReduce(input, op), op);
    }
    template <int Items>
    SIMT_INLINE T Sum(const T (&input)[Items]) {
        return Reduce(input, cub_sum());
    }

    // A head flag begins a segment, a tail flag ends one; the first lane of each segment gets its result.
    template <class Flag>
    SIMT_INLINE T HeadSegmentedSum(T input, Flag head) {
        return HeadSegmentedReduce(input, head, cub_sum());
    }
    template <class Flag>
    SIMT_INLINE T TailSegmentedSum(T input, Flag tail) {
        return TailSegmentedReduce(input, tail, cub_sum());
    }
    template <class Flag, class Operator>
    SIMT_INLINE T HeadSegmentedReduce(T input, Flag head, Operator op) {
        unsigned heads = flagged(static_cast<bool>(head)), lane = simt_detail::logical_lane<LogicalThreads>();
        unsigned later = lane == 31 ? 0 : heads >> (lane + 1) << (lane + 1);
        return up_to(input, op, later ? __builtin_ctz(later) - 1 : LogicalThreads - 1);
    }
    template <class Flag, class Operator>
    SIMT_INLINE T TailSegmentedReduce(T input, Flag tail, Operator op) {
        unsigned tails = flagged(static_cast<bool>(tail)), lane = simt_detail::logical_lane<LogicalThreads>();
        unsigned later = tails >> lane << lane;
        return up_to(input, op, later ? __builtin_ctz(later) : LogicalThreads - 1);
    }

  private:
    typedef CUB_NS_QUALIFIER::Sum cub_sum;
    typedef CUB_NS_QUALIFIER::Max cub_max;
    typedef CUB_NS_QUALIFIER::Min cub_min;

    SIMT_INLINE static unsigned flagged(bool flag) {
        return __ballot_sync(mask(), flag) >> (simt_lane() - simt_detail::logical_lane<LogicalThreads>());
    }
    SIMT_INLINE static unsigned mask() { return simt_detail::logical_mask<LogicalThreads>(); }

    template <class Operator>
    SIMT_INLINE static T up_to(T value, Operator& op, int last) {
        int lane = static_cast<int>(simt_detail::logical_lane<LogicalThreads>());
        for (int distance = 1; distance < LogicalThreads; distance *= 2) {
            T other = ShuffleDown<LogicalThreads>(value, distance, last, mask());
            if (lane + distance <= last) value = op(value, other);
        }
        return value;
    }
};

// A warp of one thread has nothing to exchange.
template <class T>
class WarpReduce<T, 1> {
  public:
    typedef NullType TempStorage;
    SIMT_INLINE WarpReduce() {}
    SIMT_INLINE explicit WarpReduce(TempStorage&) {}
    SIMT_INLINE T Sum(T input, int = 1) { return input; }
    template <class Operator>
    SIMT_INLINE T Reduce(T input, Operator, int = 1) {
        return input;
    }
};

CUB_NAMESPACE_END
