// cub::WarpScan: prefix sums and scans over the lanes of a logical warp.
#pragma once
#include "cub/thread/thread_operators.cuh"
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int LogicalThreads = 32, int Unused = 0>
class WarpScan {
    static_assert(LogicalThreads >= 1 && LogicalThreads <= 32, "a logical warp has 1 to 32 threads");

  public:
    typedef NullType TempStorage;

    SIMT_INLINE WarpScan() {}
    SIMT_INLINE explicit WarpScan(TempStorage&) {}

    SIMT_INLINE void InclusiveSum(T input, T& output) { InclusiveScan(input, output, Sum()); }
    SIMT_INLINE void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, Sum(), aggregate); }
    SIMT_INLINE void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(0), Sum()); }
    SIMT_INLINE void ExclusiveSum(T input, T& output, T& aggregate) { ExclusiveScan(input, output, T(0), Sum(), aggregate); }

    template <class Operator>
    SIMT_INLINE void InclusiveScan(T input, T& output, Operator op) {
        output = inclusive(input, op);
    }
    template <class Operator>
    SIMT_INLINE void InclusiveScan(T input, T& output, Operator op, T& aggregate) {
        output = inclusive(input, op);
        aggregate = Broadcast(output, LogicalThreads - 1);
    }
    template <class Operator>
    SIMT_INLINE void InclusiveScan(T input, T& output, T initial, Operator op) {
        output = op(initial, inclusive(input, op));
    }
    template <class Operator>
    SIMT_INLINE void InclusiveScan(T input, T& output, T initial, Operator op, T& aggregate) {
        InclusiveScan(input, output, op, aggregate);
        output = op(initial, output);
    }

    // Without an initial value the first lane's output is undefined.
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, Operator op) {
        output = before(inclusive(input, op));
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, Operator op, T& aggregate) {
        T all = inclusive(input, op);
        output = before(all);
        aggregate = Broadcast(all, LogicalThreads - 1);
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Operator op) {
        output = before(inclusive(input, op), initial, op);
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Operator op, T& aggregate) {
        T all = inclusive(input, op);
        output = before(all, initial, op);
        aggregate = Broadcast(all, LogicalThreads - 1);
    }

    template <class Operator>
    SIMT_INLINE void Scan(T input, T& inclusive_output, T& exclusive_output, Operator op) {
        inclusive_output = inclusive(input, op);
        exclusive_output = before(inclusive_output);
    }
    template <class Operator>
    SIMT_INLINE void Scan(T input, T& inclusive_output, T& exclusive_output, T initial, Operator op) {
        T all = inclusive(input, op);
        exclusive_output = before(all, initial, op);
        inclusive_output = op(initial, all);
    }

    SIMT_INLINE T Broadcast(T input, unsigned int source) {
        return ShuffleIndex<LogicalThreads>(input, static_cast<int>(source), mask());
    }

  private:
    SIMT_INLINE static unsigned mask() { return simt_detail::logical_mask<LogicalThreads>(); }
    SIMT_INLINE static int lane() { return static_cast<int>(simt_detail::logical_lane<LogicalThreads>()); }

    template <class Operator>
    SIMT_INLINE static T inclusive(T value, Operator& op) {
        for (int distance = 1; distance < LogicalThreads; distance *= 2) {
            T other = ShuffleUp<LogicalThreads>(value, distance, 0, mask());
            if (lane() >= distance) value = op(other, value);
        }
        return value;
    }
    // The neighbour's inclusive result.
    SIMT_INLINE static T before(T all) { return ShuffleUp<LogicalThreads>(all, 1, 0, mask()); }
    template <class Operator>
    SIMT_INLINE static T before(T all, T initial, Operator& op) {
        T neighbour = before(all);
        return lane() == 0 ? initial : static_cast<T>(op(initial, neighbour));
    }
};

CUB_NAMESPACE_END
