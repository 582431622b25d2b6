// cub::BlockAdjacentDifference: an operator applied to each item and its left or right neighbour in the block.
#pragma once
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int BlockX, int BlockY = 1, int BlockZ = 1, int Unused = 0>
class BlockAdjacentDifference {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    struct storage {
        T first[shape::threads], last[shape::threads];
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockAdjacentDifference() : storage_(private_storage()), thread_(shape::thread()) {}
    SIMT_INLINE explicit BlockAdjacentDifference(TempStorage& temp) : storage_(temp.Alias()), thread_(shape::thread()) {}

    // output = op(item, left neighbour); the first item of the block is copied, or compared with `predecessor`.
    template <int Items, class Out, class Operator>
    SIMT_INLINE void SubtractLeft(T (&input)[Items], Out (&output)[Items], Operator op) {
        T first = left_of(input, input[0]), original = input[0];
        subtract_left(input, output, op, first);
        if (thread_ == 0) output[0] = static_cast<Out>(original);
    }
    template <int Items, class Out, class Operator>
    SIMT_INLINE void SubtractLeft(T (&input)[Items], Out (&output)[Items], Operator op, T predecessor) {
        subtract_left(input, output, op, left_of(input, predecessor));
    }
    // output = op(item, right neighbour); the last item of the block is copied, or compared with `successor`.
    template <int Items, class Out, class Operator>
    SIMT_INLINE void SubtractRight(T (&input)[Items], Out (&output)[Items], Operator op) {
        T last = right_of(input, input[Items - 1]), original = input[Items - 1];
        subtract_right(input, output, op, last);
        if (thread_ == shape::threads - 1) output[Items - 1] = static_cast<Out>(original);
    }
    template <int Items, class Out, class Operator>
    SIMT_INLINE void SubtractRight(T (&input)[Items], Out (&output)[Items], Operator op, T successor) {
        subtract_right(input, output, op, right_of(input, successor));
    }

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }
    template <int Items>
    SIMT_INLINE T left_of(T (&input)[Items], T outside) {
        storage_.last[thread_] = input[Items - 1];
        __syncthreads();
        return thread_ == 0 ? outside : storage_.last[thread_ - 1];
    }
    template <int Items>
    SIMT_INLINE T right_of(T (&input)[Items], T outside) {
        storage_.first[thread_] = input[0];
        __syncthreads();
        return thread_ == shape::threads - 1 ? outside : storage_.first[thread_ + 1];
    }
    template <int Items, class Out, class Operator>
    SIMT_INLINE static void subtract_left(T (&input)[Items], Out (&output)[Items], Operator& op, T left) {
        for (int i = Items - 1; i > 0; --i) output[i] = op(input[i], input[i - 1]);
        output[0] = op(input[0], left);
    }
    template <int Items, class Out, class Operator>
    SIMT_INLINE static void subtract_right(T (&input)[Items], Out (&output)[Items], Operator& op, T right) {
        for (int i = 0; i < Items - 1; ++i) output[i] = op(input[i], input[i + 1]);
        output[Items - 1] = op(input[Items - 1], right);
    }

    storage& storage_;
    int thread_;
};

CUB_NAMESPACE_END
