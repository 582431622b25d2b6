// cub::BlockStore and the functions it is made of: the items of each thread into a tile of global memory.
#pragma once
#include "cub/block/block_exchange.cuh"
#include "simt/cub_vectors.h"

CUB_NAMESPACE_BEGIN

// ---- blocked: each thread writes neighbouring items ----
template <class T, int Items, class Iterator>
SIMT_INLINE void StoreDirectBlocked(int thread, Iterator to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[thread * Items + i] = items[i];
}
template <class T, int Items, class Iterator>
SIMT_INLINE void StoreDirectBlocked(int thread, Iterator to, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
        if (thread * Items + i < valid) to[thread * Items + i] = items[i];
}
template <class T, int Items>
SIMT_INLINE void StoreDirectBlockedVectorized(int thread, T* to, T (&items)[Items]) {
    simt::store_vectors(to + thread * Items, items);
}

// ---- striped: neighbouring threads write neighbouring items ----
template <int Threads, class T, int Items, class Iterator>
SIMT_INLINE void StoreDirectStriped(int thread, Iterator to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[thread + i * Threads] = items[i];
}
template <int Threads, class T, int Items, class Iterator>
SIMT_INLINE void StoreDirectStriped(int thread, Iterator to, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
        if (thread + i * Threads < valid) to[thread + i * Threads] = items[i];
}

// ---- striped within the share of each warp ----
template <class T, int Items, class Iterator>
SIMT_INLINE void StoreDirectWarpStriped(int thread, Iterator to, T (&items)[Items]) {
    StoreDirectStriped<32>(thread / 32 * 32 * Items + thread % 32, to, items);
}
template <class T, int Items, class Iterator>
SIMT_INLINE void StoreDirectWarpStriped(int thread, Iterator to, T (&items)[Items], int valid) {
    StoreDirectStriped<32>(thread / 32 * 32 * Items + thread % 32, to, items, valid);
}

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int BlockX, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int BlockY = 1, int BlockZ = 1,
          int Unused = 0>
class BlockStore {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    static constexpr bool by_warps =
        Algorithm == BLOCK_STORE_WARP_TRANSPOSE || Algorithm == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;
    static constexpr bool transposes = Algorithm == BLOCK_STORE_TRANSPOSE || by_warps;
    static_assert(!by_warps || shape::threads % 32 == 0, "a transpose by warps needs a block of whole warps");
    typedef BlockExchange<T, BlockX, Items, false, BlockY, BlockZ> exchange;

  public:
    typedef std::conditional_t<transposes, typename exchange::TempStorage, NullType> TempStorage;

    SIMT_INLINE BlockStore() : storage_(private_storage()) {}
    SIMT_INLINE explicit BlockStore(TempStorage& temp) : storage_(temp) {}

    template <class Iterator>
    SIMT_INLINE void Store(Iterator to, T (&items)[Items]) {
        if constexpr (Algorithm == BLOCK_STORE_VECTORIZE && std::is_pointer_v<Iterator>)
            StoreDirectBlockedVectorized(shape::thread(), to, items);
        else store(to, items);
    }
    template <class Iterator>
    SIMT_INLINE void Store(Iterator to, T (&items)[Items], int valid) {
        store(to, items, valid);
    }

  private:
    SIMT_INLINE static TempStorage& private_storage() {
        __shared__ TempStorage temp;
        return temp;
    }

    template <class Iterator, class... Bounds>
    SIMT_INLINE void store(Iterator to, T (&items)[Items], Bounds... bounds) {
        int thread = shape::thread();
        if constexpr (by_warps) exchange(storage_).BlockedToWarpStriped(items);
        else if constexpr (transposes) exchange(storage_).BlockedToStriped(items);
        if constexpr (by_warps) StoreDirectWarpStriped(thread, to, items, bounds...);
        else if constexpr (transposes || Algorithm == BLOCK_STORE_STRIPED)
            StoreDirectStriped<shape::threads>(thread, to, items, bounds...);
        else StoreDirectBlocked(thread, to, items, bounds...);
    }

    TempStorage& storage_;
};

CUB_NAMESPACE_END
