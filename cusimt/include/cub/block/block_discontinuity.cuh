// cub::BlockDiscontinuity: flags where an item differs from the one before it (heads) or after it (tails).
#pragma once
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

template <class T, int BlockX, int BlockY = 1, int BlockZ = 1, int Unused = 0>
class BlockDiscontinuity {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    struct storage {
        T first[shape::threads], last[shape::threads];
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockDiscontinuity() : storage_(private_storage()), thread_(shape::thread()) {}
    SIMT_INLINE explicit BlockDiscontinuity(TempStorage& temp) : storage_(temp.Alias()), thread_(shape::thread()) {}

    // Without a predecessor (successor) the block's first (last) item is always flagged.
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void FlagHeads(Flag (&heads)[Items], T (&input)[Items], Operator op) {
        share(input);
        mark_heads(heads, input, op, thread_ == 0, input[0]);
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void FlagHeads(Flag (&heads)[Items], T (&input)[Items], Operator op, T predecessor) {
        share(input);
        mark_heads(heads, input, op, false, predecessor);
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void FlagTails(Flag (&tails)[Items], T (&input)[Items], Operator op) {
        share(input);
        mark_tails(tails, input, op, thread_ == shape::threads - 1, input[0]);
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void FlagTails(Flag (&tails)[Items], T (&input)[Items], Operator op, T successor) {
        share(input);
        mark_tails(tails, input, op, false, successor);
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&input)[Items], Operator op) {
        share(input);
        mark_heads(heads, input, op, thread_ == 0, input[0]);
        mark_tails(tails, input, op, thread_ == shape::threads - 1, input[0]);
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void FlagHeadsAndTails(Flag (&heads)[Items], T predecessor, Flag (&tails)[Items], T successor,
                                       T (&input)[Items], Operator op) {
        share(input);
        mark_heads(heads, input, op, false, predecessor);
        mark_tails(tails, input, op, false, successor);
    }

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }

    template <int Items>
    SIMT_INLINE void share(T (&input)[Items]) {
        storage_.first[thread_] = input[0];
        storage_.last[thread_] = input[Items - 1];
        __syncthreads();
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void mark_heads(Flag (&heads)[Items], T (&input)[Items], Operator& op, bool always, const T& outside) {
        const T& neighbour = thread_ == 0 ? outside : storage_.last[thread_ - 1];
        heads[0] = always ? 1 : static_cast<Flag>(differs(op, neighbour, input[0], thread_ * Items));
        for (int i = 1; i < Items; ++i) heads[i] = static_cast<Flag>(differs(op, input[i - 1], input[i], thread_ * Items + i));
    }
    template <int Items, class Flag, class Operator>
    SIMT_INLINE void mark_tails(Flag (&tails)[Items], T (&input)[Items], Operator& op, bool always, const T& outside) {
        const T& neighbour = thread_ == shape::threads - 1 ? outside : storage_.first[thread_ + 1];
        for (int i = 0; i < Items - 1; ++i)
            tails[i] = static_cast<Flag>(differs(op, input[i], input[i + 1], thread_ * Items + i + 1));
        tails[Items - 1] = always ? 1 : static_cast<Flag>(differs(op, input[Items - 1], neighbour, thread_ * Items + Items));
    }
    // The operator may also ask for the rank of the second item.
    template <class Operator>
    SIMT_INLINE static bool differs(Operator& op, const T& a, const T& b, int rank) {
        if constexpr (requires { op(a, b, rank); }) return op(a, b, rank);
        else return op(a, b);
    }

    storage& storage_;
    int thread_;
};

CUB_NAMESPACE_END
