// cub::BlockMergeSort and cub::WarpMergeSort: sorted by comparison, stably.
//
// Each thread sorts its own items; then runs of 1, 2, 4, ... threads are merged through shared memory, each thread finding by
// bisection where its part of the merged run begins.
#pragma once
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

template <class Key, int Threads, int Items, class Value>
class merge_sort {
    static constexpr int tile = Threads * Items;
    static constexpr bool has_values = !std::is_same_v<Value, NullType>;

  public:
    struct storage {
        Key keys[tile];
        Value values[has_values ? tile : 1];
    };

    // `sync` is the barrier of the threads that sort together.
    template <class Compare, class Sync>
    SIMT_INLINE static void sort(storage& temp, int thread, Key (&keys)[Items], Value (&values)[Items], Compare compare,
                                 Sync sync) {
        sort_own(keys, values, compare);
        for (int run = 1; run < Threads; run *= 2) {
            for (int i = 0; i < Items; ++i) {
                temp.keys[thread * Items + i] = keys[i];
                if constexpr (has_values) temp.values[thread * Items + i] = values[i];
            }
            sync();
            merge(temp, thread, run, keys, values, compare);
            sync();
        }
    }

  private:
    template <class Compare>
    SIMT_INLINE static void sort_own(Key (&keys)[Items], Value (&values)[Items], Compare& compare) {
        for (int end = 1; end < Items; ++end)
            for (int i = end; i > 0 && compare(keys[i], keys[i - 1]); --i) {
                swap(keys[i], keys[i - 1]);
                swap(values[i], values[i - 1]);
            }
    }
    template <class T>
    SIMT_INLINE static void swap(T& a, T& b) {
        T old = a;
        a = b;
        b = old;
    }

    // Two neighbouring runs of `run` threads become one; this thread takes the items from `place` on.
    template <class Compare>
    SIMT_INLINE static void merge(storage& temp, int thread, int run, Key (&keys)[Items], Value (&values)[Items],
                                  Compare& compare) {
        int first = thread / (2 * run) * (2 * run) * Items, place = thread * Items - first;
        int left_end = smaller(first + run * Items, tile), right_end = smaller(first + 2 * run * Items, tile);
        int left = first + taken_left(temp.keys, first, left_end, right_end, place, compare);
        int right = left_end + place - (left - first);
        for (int i = 0; i < Items; ++i) {
            bool from_right = left >= left_end || (right < right_end && compare(temp.keys[right], temp.keys[left]));
            int source = from_right ? right++ : left++;
            keys[i] = temp.keys[source];
            if constexpr (has_values) values[i] = temp.values[source];
        }
    }
    // How many of the first `place` merged items come from the left run.
    template <class Compare>
    SIMT_INLINE static int taken_left(const Key* keys, int first, int left_end, int right_end, int place, Compare& compare) {
        int low = larger(0, place - (right_end - left_end)), high = smaller(place, left_end - first);
        while (low < high) {
            int middle = (low + high) / 2;
            if (compare(keys[left_end + place - 1 - middle], keys[first + middle])) high = middle;
            else low = middle + 1;
        }
        return low;
    }
    SIMT_INLINE static int smaller(int a, int b) { return a < b ? a : b; }
    SIMT_INLINE static int larger(int a, int b) { return a > b ? a : b; }
};

// The interface that block and warp share; `Self` sorts all items.
template <class Self, class Key, int Items, class Value>
class merge_sort_interface {
  public:
#define SIMT_CUB_SORT(NAME)                                                                                   \
    template <class Compare>                                                                                  \
    SIMT_INLINE void NAME(Key(&keys)[Items], Compare compare) {                                               \
        Value none[Items];                                                                                    \
        self().sort_all(keys, none, compare);                                                                 \
    }                                                                                                         \
    template <class Compare>                                                                                  \
    SIMT_INLINE void NAME(Key(&keys)[Items], Value(&values)[Items], Compare compare) {                        \
        self().sort_all(keys, values, compare);                                                               \
    }                                                                                                         \
    template <class Compare>                                                                                  \
    SIMT_INLINE void NAME(Key(&keys)[Items], Compare compare, int valid, Key beyond) {                        \
        Value none[Items];                                                                                    \
        NAME(keys, none, compare, valid, beyond);                                                             \
    }                                                                                                         \
    /* Items from `valid` on are set to `beyond`, which must not come before any key. */                      \
    template <class Compare>                                                                                  \
    SIMT_INLINE void NAME(Key(&keys)[Items], Value(&values)[Items], Compare compare, int valid, Key beyond) { \
        for (int i = 0; i < Items; ++i)                                                                       \
            if (self().thread() * Items + i >= valid) keys[i] = beyond;                                       \
        self().sort_all(keys, values, compare);                                                               \
    }
    SIMT_CUB_SORT(Sort)
    SIMT_CUB_SORT(StableSort)
#undef SIMT_CUB_SORT

  private:
    SIMT_INLINE Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace simt_detail

template <class Key, int BlockX, int Items, class Value = NullType, int BlockY = 1, int BlockZ = 1>
class BlockMergeSort
    : public simt_detail::merge_sort_interface<BlockMergeSort<Key, BlockX, Items, Value, BlockY, BlockZ>, Key, Items, Value> {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;
    typedef simt_detail::merge_sort<Key, shape::threads, Items, Value> sorter;

  public:
    struct TempStorage : Uninitialized<typename sorter::storage> {};

    SIMT_INLINE BlockMergeSort() : storage_(private_storage()) {}
    SIMT_INLINE explicit BlockMergeSort(TempStorage& temp) : storage_(temp.Alias()) {}

    SIMT_INLINE static int thread() { return shape::thread(); }
    template <class Compare>
    SIMT_INLINE void sort_all(Key (&keys)[Items], Value (&values)[Items], Compare& compare) {
        sorter::sort(storage_, thread(), keys, values, compare, [] { __syncthreads(); });
    }

  private:
    SIMT_INLINE static typename sorter::storage& private_storage() {
        __shared__ Uninitialized<typename sorter::storage> temp;
        return temp.Alias();
    }
    typename sorter::storage& storage_;
};

template <class Key, int Items, int LogicalThreads = 32, class Value = NullType, int Unused = 0>
class WarpMergeSort
    : public simt_detail::merge_sort_interface<WarpMergeSort<Key, Items, LogicalThreads, Value, Unused>, Key, Items, Value> {
    typedef simt_detail::merge_sort<Key, LogicalThreads, Items, Value> sorter;

  public:
    struct TempStorage : Uninitialized<typename sorter::storage> {};

    SIMT_INLINE explicit WarpMergeSort(TempStorage& temp) : storage_(temp.Alias()) {}

    SIMT_INLINE static int thread() { return static_cast<int>(simt_detail::logical_lane<LogicalThreads>()); }
    template <class Compare>
    SIMT_INLINE void sort_all(Key (&keys)[Items], Value (&values)[Items], Compare& compare) {
        sorter::sort(storage_, thread(), keys, values, compare,
                     [] { __syncwarp(simt_detail::logical_mask<LogicalThreads>()); });
    }

  private:
    typename sorter::storage& storage_;
};

CUB_NAMESPACE_END
