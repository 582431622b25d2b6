// cub::BlockLoad and the functions it is made of: a tile of global memory into the items of each thread.
#pragma once
#include "cub/block/block_exchange.cuh"
#include "simt/cub_vectors.h"

CUB_NAMESPACE_BEGIN

// ---- blocked: each thread reads neighbouring items ----
template <class T, int Items, class Iterator>
SIMT_INLINE void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[thread * Items + i];
}
template <class T, int Items, class Iterator>
SIMT_INLINE void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
        if (thread * Items + i < valid) items[i] = from[thread * Items + i];
}
template <class T, class Default, int Items, class Iterator>
SIMT_INLINE void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items], int valid, Default fill) {
    for (int i = 0; i < Items; ++i) items[i] = static_cast<T>(fill);
    LoadDirectBlocked(thread, from, items, valid);
}
template <class T, int Items>
SIMT_INLINE void LoadDirectBlockedVectorized(int thread, T* from, T (&items)[Items]) {
    simt::load_vectors(from + thread * Items, items);
}
template <class T, int Items>
SIMT_INLINE void LoadDirectBlockedVectorized(int thread, const T* from, T (&items)[Items]) {
    simt::load_vectors(from + thread * Items, items);
}

// ---- striped: neighbouring threads read neighbouring items ----
template <int Threads, class T, int Items, class Iterator>
SIMT_INLINE void LoadDirectStriped(int thread, Iterator from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[thread + i * Threads];
}
template <int Threads, class T, int Items, class Iterator>
SIMT_INLINE void LoadDirectStriped(int thread, Iterator from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
        if (thread + i * Threads < valid) items[i] = from[thread + i * Threads];
}
template <int Threads, class T, class Default, int Items, class Iterator>
SIMT_INLINE void LoadDirectStriped(int thread, Iterator from, T (&items)[Items], int valid, Default fill) {
    for (int i = 0; i < Items; ++i) items[i] = static_cast<T>(fill);
    LoadDirectStriped<Threads>(thread, from, items, valid);
}

// ---- striped within the share of each warp ----
template <class T, int Items, class Iterator>
SIMT_INLINE void LoadDirectWarpStriped(int thread, Iterator from, T (&items)[Items]) {
    LoadDirectStriped<32>(thread / 32 * 32 * Items + thread % 32, from, items);
}
template <class T, int Items, class Iterator>
SIMT_INLINE void LoadDirectWarpStriped(int thread, Iterator from, T (&items)[Items], int valid) {
    LoadDirectStriped<32>(thread / 32 * 32 * Items + thread % 32, from, items, valid);
}
template <class T, class Default, int Items, class Iterator>
SIMT_INLINE void LoadDirectWarpStriped(int thread, Iterator from, T (&items)[Items], int valid, Default fill) {
    LoadDirectStriped<32>(thread / 32 * 32 * Items + thread % 32, from, items, valid, fill);
}

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int BlockX, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int BlockY = 1, int BlockZ = 1,
          int Unused = 0>
class BlockLoad {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    static constexpr bool by_warps =
        Algorithm == BLOCK_LOAD_WARP_TRANSPOSE || Algorithm == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;
    static constexpr bool transposes = Algorithm == BLOCK_LOAD_TRANSPOSE || by_warps;
    static_assert(!by_warps || shape::threads % 32 == 0, "a transpose by warps needs a block of whole warps");
    typedef BlockExchange<T, BlockX, Items, false, BlockY, BlockZ> exchange;

  public:
    typedef std::conditional_t<transposes, typename exchange::TempStorage, NullType> TempStorage;

    SIMT_INLINE BlockLoad() : storage_(private_storage()) {}
    SIMT_INLINE explicit BlockLoad(TempStorage& temp) : storage_(temp) {}

    template <class Iterator>
    SIMT_INLINE void Load(Iterator from, T (&items)[Items]) {
        if constexpr (Algorithm == BLOCK_LOAD_VECTORIZE && std::is_pointer_v<Iterator>)
            LoadDirectBlockedVectorized(shape::thread(), from, items);
        else load(from, items);
    }
    // Items from `valid` on are left as they are, or set to `fill`.
    template <class Iterator>
    SIMT_INLINE void Load(Iterator from, T (&items)[Items], int valid) {
        load(from, items, valid);
    }
    template <class Iterator, class Default>
    SIMT_INLINE void Load(Iterator from, T (&items)[Items], int valid, Default fill) {
        load(from, items, valid, fill);
    }

  private:
    SIMT_INLINE static TempStorage& private_storage() {
        __shared__ TempStorage temp;
        return temp;
    }

    template <class Iterator, class... Bounds>
    SIMT_INLINE void load(Iterator from, T (&items)[Items], Bounds... bounds) {
        int thread = shape::thread();
        if constexpr (by_warps) LoadDirectWarpStriped(thread, from, items, bounds...);
        else if constexpr (transposes || Algorithm == BLOCK_LOAD_STRIPED)
            LoadDirectStriped<shape::threads>(thread, from, items, bounds...);
        else LoadDirectBlocked(thread, from, items, bounds...);
        if constexpr (by_warps) exchange(storage_).WarpStripedToBlocked(items);
        else if constexpr (transposes) exchange(storage_).StripedToBlocked(items);
    }

    TempStorage& storage_;
};

CUB_NAMESPACE_END
