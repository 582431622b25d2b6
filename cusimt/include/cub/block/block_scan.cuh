// cub::BlockScan: prefix sums and scans over the threads of a block. Every algorithm maps to one implementation,
// that of warp scans.
#pragma once
#include "cub/thread/thread_reduce.cuh"
#include "cub/thread/thread_scan.cuh"
#include "cub/warp/warp_scan.cuh"

CUB_NAMESPACE_BEGIN

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace simt_detail {

// A callback is called by the first warp with the block's aggregate; what its lane 0 returns is put in front of the block.
template <class Callback, class T>
concept prefix_callback = requires(Callback& callback, T aggregate) { T(callback(aggregate)); };

}  // namespace simt_detail

template <class T, int BlockX, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int BlockY = 1, int BlockZ = 1, int Unused = 0>
class BlockScan {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    struct storage {
        T warp_aggregates[shape::warps];
        T prefix;
    };
    struct scanned {        // of one thread
        T before, through;  // the results without and with the thread's own value; `before` is undefined in thread 0
        T aggregate;
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockScan() : storage_(private_storage()), thread_(shape::thread()) {}
    SIMT_INLINE explicit BlockScan(TempStorage& temp) : storage_(temp.Alias()), thread_(shape::thread()) {}

#define SIMT_CUB_SUMS(KIND, INITIAL)                                                                                      \
    SIMT_INLINE void KIND##Sum(T input, T& output) { KIND##Scan(input, output, INITIAL Sum()); }                          \
    SIMT_INLINE void KIND##Sum(T input, T& output, T& aggregate) { KIND##Scan(input, output, INITIAL Sum(), aggregate); } \
    template <simt_detail::prefix_callback<T> Callback>                                                                   \
    SIMT_INLINE void KIND##Sum(T input, T& output, Callback& callback) {                                                  \
        KIND##Scan(input, output, Sum(), callback);                                                                       \
    }                                                                                                                     \
    template <int Items>                                                                                                  \
    SIMT_INLINE void KIND##Sum(T(&inputs)[Items], T(&outputs)[Items]) {                                                   \
        KIND##Scan(inputs, outputs, INITIAL Sum());                                                                       \
    }                                                                                                                     \
    template <int Items>                                                                                                  \
    SIMT_INLINE void KIND##Sum(T(&inputs)[Items], T(&outputs)[Items], T& aggregate) {                                     \
        KIND##Scan(inputs, outputs, INITIAL Sum(), aggregate);                                                            \
    }                                                                                                                     \
    template <int Items, simt_detail::prefix_callback<T> Callback>                                                        \
    SIMT_INLINE void KIND##Sum(T(&inputs)[Items], T(&outputs)[Items], Callback& callback) {                               \
        KIND##Scan(inputs, outputs, Sum(), callback);                                                                     \
    }
#define SIMT_CUB_ZERO T(0),
    SIMT_CUB_SUMS(Exclusive, SIMT_CUB_ZERO)
    SIMT_CUB_SUMS(Inclusive, )
#undef SIMT_CUB_ZERO
#undef SIMT_CUB_SUMS

    // ---- one value per thread ----
    template <class Operator>
    SIMT_INLINE void InclusiveScan(T input, T& output, Operator op) {
        output = scan(input, op).through;
    }
    template <class Operator>
    SIMT_INLINE void InclusiveScan(T input, T& output, Operator op, T& aggregate) {
        scanned result = scan(input, op);
        output = result.through, aggregate = result.aggregate;
    }
    template <class Operator, simt_detail::prefix_callback<T> Callback>
    SIMT_INLINE void InclusiveScan(T input, T& output, Operator op, Callback& callback) {
        scanned result = scan(input, op);
        output = op(prefix_of_block(result.aggregate, callback), result.through);
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, Operator op) {
        output = scan(input, op).before;
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, Operator op, T& aggregate) {
        scanned result = scan(input, op);
        output = result.before, aggregate = result.aggregate;
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Operator op) {
        output = after(initial, scan(input, op), op);
    }
    template <class Operator>
    SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Operator op, T& aggregate) {
        scanned result = scan(input, op);
        output = after(initial, result, op), aggregate = result.aggregate;
    }
    template <class Operator, simt_detail::prefix_callback<T> Callback>
    SIMT_INLINE void ExclusiveScan(T input, T& output, Operator op, Callback& callback) {
        scanned result = scan(input, op);
        output = after(prefix_of_block(result.aggregate, callback), result, op);
    }

    // ---- several values per thread, neighbours in the scan ----
    template <int Items, class Operator>
    SIMT_INLINE void InclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operator op) {
        T aggregate;
        InclusiveScan(inputs, outputs, op, aggregate);
    }
    template <int Items, class Operator>
    SIMT_INLINE void InclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operator op, T& aggregate) {
        scanned result = scan(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op);
        ThreadScanInclusive(inputs, outputs, op, result.before, thread_ != 0);
        aggregate = result.aggregate;
    }
    template <int Items, class Operator>
    SIMT_INLINE void InclusiveScan(T (&inputs)[Items], T (&outputs)[Items], T initial, Operator op) {
        scanned result = scan(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op);
        ThreadScanInclusive(inputs, outputs, op, after(initial, result, op));
    }
    template <int Items, class Operator, simt_detail::prefix_callback<T> Callback>
    SIMT_INLINE void InclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operator op, Callback& callback) {
        scanned result = scan(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op);
        ThreadScanInclusive(inputs, outputs, op, after(prefix_of_block(result.aggregate, callback), result, op));
    }
    template <int Items, class Operator>
    SIMT_INLINE void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operator op) {
        T aggregate;
        ExclusiveScan(inputs, outputs, op, aggregate);
    }
    template <int Items, class Operator>
    SIMT_INLINE void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operator op, T& aggregate) {
        scanned result = scan(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op);
        ThreadScanExclusive(inputs, outputs, op, result.before, thread_ != 0);
        aggregate = result.aggregate;
    }
    template <int Items, class Operator>
    SIMT_INLINE void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], T initial, Operator op) {
        T aggregate;
        ExclusiveScan(inputs, outputs, initial, op, aggregate);
    }
    template <int Items, class Operator>
    SIMT_INLINE void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], T initial, Operator op, T& aggregate) {
        scanned result = scan(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op);
        ThreadScanExclusive(inputs, outputs, op, after(initial, result, op));
        aggregate = result.aggregate;
    }
    template <int Items, class Operator, simt_detail::prefix_callback<T> Callback>
    SIMT_INLINE void ExclusiveScan(T (&inputs)[Items], T (&outputs)[Items], Operator op, Callback& callback) {
        scanned result = scan(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op);
        ThreadScanExclusive(inputs, outputs, op, after(prefix_of_block(result.aggregate, callback), result, op));
    }

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }

    // Each warp by itself; then every thread folds the results of the warps before its own.
    template <class Operator>
    SIMT_INLINE scanned scan(T input, Operator& op) {
        scanned result;
        WarpScan<T>().Scan(input, result.through, result.before, op);
        int warp = thread_ / 32, lane = thread_ % 32;
        if (lane == 31 || thread_ == shape::threads - 1) storage_.warp_aggregates[warp] = result.through;
        __syncthreads();
        T aggregate = storage_.warp_aggregates[0];
        for (int other = 1; other < shape::warps; ++other) {
            if (other == warp) {
                result.before = lane == 0 ? aggregate : static_cast<T>(op(aggregate, result.before));
                result.through = op(aggregate, result.through);
            }
            aggregate = op(aggregate, storage_.warp_aggregates[other]);
        }
        result.aggregate = aggregate;
        return result;
    }

    template <class Callback>
    SIMT_INLINE T prefix_of_block(T aggregate, Callback& callback) {
        if (thread_ < 32) {
            T prefix = callback(aggregate);
            if (thread_ == 0) storage_.prefix = prefix;
        }
        __syncthreads();
        return storage_.prefix;
    }

    template <class Operator>
    SIMT_INLINE T after(T prefix, const scanned& result, Operator& op) const {
        return thread_ == 0 ? prefix : static_cast<T>(op(prefix, result.before));
    }

    storage& storage_;
    int thread_;
};

CUB_NAMESPACE_END
