// cub::BlockReduce: thread 0 gets the result. Every algorithm maps to one implementation, that of warp reductions
// (results may differ from the raking algorithms in the rounding of floating-point sums).
#pragma once
#include "cub/warp/warp_reduce.cuh"

CUB_NAMESPACE_BEGIN

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

template <class T, int BlockX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockY = 1, int BlockZ = 1,
          int Unused = 0>
class BlockReduce {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    static constexpr int warp_threads = shape::threads < 32 ? shape::threads : 32;
    struct storage {
        T warp_aggregates[shape::warps];
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockReduce() : storage_(private_storage()), thread_(shape::thread()) {}
    SIMT_INLINE explicit BlockReduce(TempStorage& temp) : storage_(temp.Alias()), thread_(shape::thread()) {}

    template <class Operator>
    SIMT_INLINE T Reduce(T input, Operator op) {
        return of_block(input, op, shape::threads);
    }
    // Reduces the items of the first `valid` threads.
    template <class Operator>
    SIMT_INLINE T Reduce(T input, Operator op, int valid) {
        return of_block(input, op, valid);
    }
    template <int Items, class Operator>
    SIMT_INLINE T Reduce(T (&inputs)[Items], Operator op) {
        return of_block(ThreadReduce<Items>(static_cast<const T*>(inputs), op), op, shape::threads);
    }
    SIMT_INLINE T Sum(T input) { return Reduce(input, CUB_NS_QUALIFIER::Sum()); }
    SIMT_INLINE T Sum(T input, int valid) { return Reduce(input, CUB_NS_QUALIFIER::Sum(), valid); }
    template <int Items>
    SIMT_INLINE T Sum(T (&inputs)[Items]) {
        return Reduce(inputs, CUB_NS_QUALIFIER::Sum());
    }

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }

    // Each warp by itself; then thread 0 folds what the warps left in shared memory.
    template <class Operator>
    SIMT_INLINE T of_block(T input, Operator& op, int valid) {
        int warp = thread_ / 32, lane = thread_ % 32, valid_lanes = valid - warp * 32;
        T result = WarpReduce<T, warp_threads>().Reduce(input, op, valid_lanes < warp_threads ? valid_lanes : warp_threads);
        if (shape::warps == 1) return result;
        if (lane == 0) storage_.warp_aggregates[warp] = result;
        __syncthreads();
        if (thread_ == 0)
            for (int other = 1; other * 32 < valid && other < shape::warps; ++other)
                result = op(result, storage_.warp_aggregates[other]);
        return result;
    }

    storage& storage_;
    int thread_;
};

CUB_NAMESPACE_END
