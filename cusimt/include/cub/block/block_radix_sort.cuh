// cub::BlockRadixSort: the keys of a block, with values if there are any, sorted by some of their bits. Stable.
#pragma once
#include "cub/block/block_exchange.cuh"
#include "cub/block/block_radix_rank.cuh"

CUB_NAMESPACE_BEGIN

template <class Key, int BlockX, int Items, class Value = NullType, int RadixBits = 4, bool MemoizeOuterScan = true,
          BlockScanAlgorithm InnerScan = BLOCK_SCAN_WARP_SCANS, int SharedMemoryConfig = 0, int BlockY = 1, int BlockZ = 1,
          int Unused = 0>
class BlockRadixSort {
    typedef Traits<Key> traits;
    typedef typename traits::UnsignedBits bits_type;
    typedef simt_detail::radix_rank<BlockX, RadixBits, BlockY, BlockZ> ranking;
    typedef BlockExchange<bits_type, BlockX, Items, false, BlockY, BlockZ> key_exchange;
    typedef BlockExchange<Value, BlockX, Items, false, BlockY, BlockZ> value_exchange;
    static constexpr bool has_values = !std::is_same_v<Value, NullType>;
    static constexpr int key_bits = sizeof(Key) * 8;
    union storage {
        typename ranking::storage rank;
        typename key_exchange::TempStorage keys;
        typename value_exchange::TempStorage values;
    };

  public:
    struct TempStorage : Uninitialized<storage> {};

    SIMT_INLINE BlockRadixSort() : storage_(private_storage()) {}
    SIMT_INLINE explicit BlockRadixSort(TempStorage& temp) : storage_(temp.Alias()) {}

#define SIMT_CUB_SORT(NAME, DESCENDING, STRIPED)                                                                \
    SIMT_INLINE void NAME(Key(&keys)[Items], int first_bit = 0, int last_bit = key_bits) {                      \
        NullType none[Items];                                                                                   \
        sort<DESCENDING, STRIPED>(keys, none, first_bit, last_bit);                                             \
    }                                                                                                           \
    SIMT_INLINE void NAME(Key(&keys)[Items], Value(&values)[Items], int first_bit = 0, int last_bit = key_bits) \
        requires(has_values)                                                                                    \
    {                                                                                                           \
        sort<DESCENDING, STRIPED>(keys, values, first_bit, last_bit);                                           \
    }
    SIMT_CUB_SORT(Sort, false, false)
    SIMT_CUB_SORT(SortDescending, true, false)
    SIMT_CUB_SORT(SortBlockedToStriped, false, true)
    SIMT_CUB_SORT(SortDescendingBlockedToStriped, true, true)
#undef SIMT_CUB_SORT

  private:
    SIMT_INLINE static storage& private_storage() {
        __shared__ Uninitialized<storage> temp;
        return temp.Alias();
    }

    template <bool Descending, bool Striped, class V>
    SIMT_INLINE void sort(Key (&keys)[Items], V (&values)[Items], int first_bit, int last_bit) {
        bits_type bits[Items];
        for (int i = 0; i < Items; ++i) __builtin_memcpy(&bits[i], &keys[i], sizeof(Key));
        while (true) {
            bits_type codes[Items];
            for (int i = 0; i < Items; ++i) codes[i] = code<Descending>(bits[i]);
            int ranks[Items], width = last_bit - first_bit < RadixBits ? last_bit - first_bit : RadixBits;
            ranking(storage_.rank).rank(codes, ranks, first_bit, width);
            first_bit += RadixBits;
            __syncthreads();
            bool last = first_bit >= last_bit;
            place<Striped>(key_exchange(storage_.keys), bits, ranks, last);
            if constexpr (!std::is_same_v<V, NullType>) {
                __syncthreads();
                place<Striped>(value_exchange(storage_.values), values, ranks, last);
            }
            if (last) break;
            __syncthreads();
        }
        for (int i = 0; i < Items; ++i) __builtin_memcpy(static_cast<void*>(&keys[i]), &bits[i], sizeof(Key));
    }

    template <bool Striped, class Exchange, class T>
    SIMT_INLINE static void place(Exchange exchange, T (&items)[Items], int (&ranks)[Items], bool last) {
        if (Striped && last) exchange.ScatterToStriped(items, ranks);
        else exchange.ScatterToBlocked(items, ranks);
    }

    // A key's bits, in the order of the sort.
    template <bool Descending>
    SIMT_INLINE static bits_type code(bits_type bits) {
        bits = traits::RadixCode(bits);
        return Descending ? bits_type(~bits) : bits;
    }

    storage& storage_;
};

CUB_NAMESPACE_END
