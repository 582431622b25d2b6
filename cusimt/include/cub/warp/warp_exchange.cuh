// cub::WarpExchange, WarpLoad and WarpStore: what BlockExchange, BlockLoad and BlockStore do, for a logical warp.
#pragma once
#include "cub/block/block_load.cuh"
#include "cub/block/block_store.cuh"

CUB_NAMESPACE_BEGIN

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

template <class T, int Items, int LogicalThreads = 32, WarpExchangeAlgorithm Algorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
    struct storage {
        T items[LogicalThreads * Items];
    };

  public:
    struct TempStorage : Uninitialized<storage> {};
    SIMT_INLINE explicit WarpExchange(TempStorage& temp) : storage_(temp.Alias()) {}

    template <class Out>
    SIMT_INLINE void BlockedToStriped(const T (&input)[Items], Out (&output)[Items]) {
        for (int i = 0; i < Items; ++i) storage_.items[lane() * Items + i] = input[i];
        sync();
        for (int i = 0; i < Items; ++i) output[i] = storage_.items[lane() + i * LogicalThreads];
    }
    template <class Out>
    SIMT_INLINE void StripedToBlocked(const T (&input)[Items], Out (&output)[Items]) {
        for (int i = 0; i < Items; ++i) storage_.items[lane() + i * LogicalThreads] = input[i];
        sync();
        for (int i = 0; i < Items; ++i) output[i] = storage_.items[lane() * Items + i];
    }
    template <class Out, class Offset>
    SIMT_INLINE void ScatterToStriped(const T (&input)[Items], Out (&output)[Items], Offset (&ranks)[Items]) {
        for (int i = 0; i < Items; ++i) storage_.items[ranks[i]] = input[i];
        sync();
        for (int i = 0; i < Items; ++i) output[i] = storage_.items[lane() + i * LogicalThreads];
    }
    template <class Offset>
    SIMT_INLINE void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
        ScatterToStriped(items, items, ranks);
    }

  private:
    SIMT_INLINE static int lane() { return static_cast<int>(simt_detail::logical_lane<LogicalThreads>()); }
    SIMT_INLINE static void sync() { __syncwarp(simt_detail::logical_mask<LogicalThreads>()); }
    storage& storage_;
};

template <class T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int LogicalThreads = 32, int Unused = 0>
class WarpLoad {
    typedef WarpExchange<T, Items, LogicalThreads> exchange;
    static constexpr bool transposes = Algorithm == WARP_LOAD_TRANSPOSE;

  public:
    typedef std::conditional_t<transposes, typename exchange::TempStorage, NullType> TempStorage;
    SIMT_INLINE explicit WarpLoad(TempStorage& temp) : storage_(temp) {}

    template <class Iterator, class... Bounds>
    SIMT_INLINE void Load(Iterator from, T (&items)[Items], Bounds... bounds) {
        int lane = static_cast<int>(simt_detail::logical_lane<LogicalThreads>());
        if constexpr (Algorithm == WARP_LOAD_VECTORIZE && sizeof...(Bounds) == 0)
            LoadDirectBlockedVectorized(lane, from, items);
        else if constexpr (transposes || Algorithm == WARP_LOAD_STRIPED)
            LoadDirectStriped<LogicalThreads>(lane, from, items, bounds...);
        else LoadDirectBlocked(lane, from, items, bounds...);
        if constexpr (transposes) exchange(storage_).StripedToBlocked(items, items);
    }

  private:
    TempStorage& storage_;
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int LogicalThreads = 32, int Unused = 0>
class WarpStore {
    typedef WarpExchange<T, Items, LogicalThreads> exchange;
    static constexpr bool transposes = Algorithm == WARP_STORE_TRANSPOSE;

  public:
    typedef std::conditional_t<transposes, typename exchange::TempStorage, NullType> TempStorage;
    SIMT_INLINE explicit WarpStore(TempStorage& temp) : storage_(temp) {}

    template <class Iterator, class... Bounds>
    SIMT_INLINE void Store(Iterator to, T (&items)[Items], Bounds... bounds) {
        int lane = static_cast<int>(simt_detail::logical_lane<LogicalThreads>());
        if constexpr (transposes) exchange(storage_).BlockedToStriped(items, items);
        if constexpr (Algorithm == WARP_STORE_VECTORIZE && sizeof...(Bounds) == 0)
            StoreDirectBlockedVectorized(lane, to, items);
        else if constexpr (transposes || Algorithm == WARP_STORE_STRIPED)
            StoreDirectStriped<LogicalThreads>(lane, to, items, bounds...);
        else StoreDirectBlocked(lane, to, items, bounds...);
    }

  private:
    TempStorage& storage_;
};

CUB_NAMESPACE_END
