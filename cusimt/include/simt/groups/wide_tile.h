// cooperative_groups::thread_block_tile<N> of several warps: N = 64, 128, ... 1024 neighbouring threads of a block.
//
// Its warps meet at a barrier object and leave what they bring in slots, one per warp. Both lie in shared memory that belongs
// to this header, as sm_80 and later reserve some: what a kernel passes as block_tile_memory is not used.
#pragma once
#include "simt/groups/tile.h"

namespace cooperative_groups {

template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
    char unused;
};

template <unsigned MaxBlockSize>
SIMT_INLINE thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
    return thread_block();
}

}  // namespace cooperative_groups

#pragma GCC visibility push(hidden)
namespace simt {

constexpr unsigned tile_slot_bytes = 32;

struct tile_room {
    alignas(8) uint64_t barriers[32];  // of the only tile of 1024 threads, of the two of 512, ... of the 16 of 64
    alignas(16) char slots[32][tile_slot_bytes];
};

// One per block. A function's variable: the headers of two files share it, as the threads of a block do.
SIMT_HOST inline tile_room& tile_room_of_block() {
    __shared__ tile_room room;
    return room;
}

}  // namespace simt
#pragma GCC visibility pop

namespace cooperative_groups {

template <unsigned Size, class Parent>
    requires(Size > 32)
class thread_block_tile<Size, Parent> {
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile of several warps has 64, 128, 256, 512 or 1024 threads");

  public:
    // All threads of the block get their tiles together.
    SIMT_INLINE explicit thread_block_tile(unsigned group_rank, unsigned groups) : group_rank_(group_rank), groups_(groups) {
        if (thread_rank() == 0) simt_phases_begin(simt_meeting(), Size);
        __syncthreads();
    }
    template <class Other>
    SIMT_INLINE thread_block_tile(const thread_block_tile<Size, Other>& other)
        : group_rank_(other.meta_group_rank()), groups_(other.meta_group_size()) {}

    SIMT_INLINE static unsigned thread_rank() { return simt_linear_thread() % Size; }
    SIMT_INLINE static constexpr unsigned size() { return Size; }
    SIMT_INLINE static constexpr unsigned num_threads() { return Size; }
    SIMT_INLINE unsigned meta_group_rank() const { return group_rank_; }
    SIMT_INLINE unsigned meta_group_size() const { return groups_; }
    SIMT_INLINE void sync() const { simt_phase_wait(simt_meeting(), simt_phase_arrive(simt_meeting(), 1, 0)); }
    SIMT_INLINE operator thread_group() const = delete;  // which knows blocks and parts of one warp

    template <class T>
    SIMT_INLINE T shfl(T value, unsigned rank) const {
        if (thread_rank() == rank % Size) simt_leave(value);
        sync();
        T result = simt_left<T>(simt_first_warp() + rank % Size / 32);
        sync();  // the slots may be filled again
        return result;
    }
    SIMT_INLINE int any(int predicate) const {
        int of_warp = __any_sync(~0u, predicate), unused;
        return simt_fold(of_warp, [](int a, int b) { return a | b; }, unused);
    }
    SIMT_INLINE int all(int predicate) const { return !any(!predicate); }

    // What the warps bring, folded from the first one up. `below`: the fold of those before this thread's, left alone in the
    // first.
    template <class T, class Operation>
    SIMT_INLINE T simt_fold(T of_warp, Operation&& operation, T& below) const {
        unsigned first = simt_first_warp(), own = simt_linear_thread() / 32;
        if (simt_lane() == 0) simt_leave(of_warp);
        sync();
        T result = simt_left<T>(first);
        for (unsigned warp = first + 1; warp < first + Size / 32; ++warp) {
            if (warp == own) below = result;
            result = operation(result, simt_left<T>(warp));
        }
        sync();
        return result;
    }
    SIMT_INLINE static unsigned simt_lanes() { return ~0u; }
    SIMT_INLINE static bool simt_is_in_first_warp() { return simt_linear_thread() % Size < 32; }

  private:
    SIMT_INLINE static unsigned simt_first_warp() { return simt_linear_thread() / Size * (Size / 32); }
    SIMT_INLINE static uint64_t* simt_meeting() {
        return &simt::tile_room_of_block().barriers[1024 / Size + simt_linear_thread() / Size];
    }
    template <class T>
    SIMT_INLINE static void simt_leave(const T& value) {
        static_assert(sizeof(T) <= simt::tile_slot_bytes, "tiles of several warps exchange values of up to 32 bytes");
        __builtin_memcpy(simt::tile_room_of_block().slots[simt_linear_thread() / 32], &value, sizeof(T));
    }
    template <class T>
    SIMT_INLINE static T simt_left(unsigned warp) {
        T value;
        __builtin_memcpy(&value, simt::tile_room_of_block().slots[warp], sizeof(T));
        return value;
    }

    unsigned group_rank_, groups_;
};

template <class Group>
concept simt_wide_group = requires { Group::simt_is_in_first_warp(); };

}  // namespace cooperative_groups
