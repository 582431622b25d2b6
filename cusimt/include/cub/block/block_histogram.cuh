// cub::BlockHistogram: counts of the samples of a block in a histogram that the caller keeps in shared memory.
#pragma once
#include "cub/util_ptx.cuh"

CUB_NAMESPACE_BEGIN

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

// Both algorithms count with atomics: their results are the same.
template <class T, int BlockX, int Items, int Bins, BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int BlockY = 1,
          int BlockZ = 1, int Unused = 0>
class BlockHistogram {
    typedef simt_detail::block_shape<BlockX, BlockY, BlockZ> shape;

  public:
    typedef NullType TempStorage;

    SIMT_INLINE BlockHistogram() {}
    SIMT_INLINE explicit BlockHistogram(TempStorage&) {}

    template <class Counter>
    SIMT_INLINE void InitHistogram(Counter (&histogram)[Bins]) {
        for (int bin = shape::thread(); bin < Bins; bin += shape::threads) histogram[bin] = 0;
    }
    template <class Counter>
    SIMT_INLINE void Histogram(T (&items)[Items], Counter (&histogram)[Bins]) {
        InitHistogram(histogram);
        __syncthreads();
        Composite(items, histogram);
    }
    template <class Counter>
    SIMT_INLINE void Composite(T (&items)[Items], Counter (&histogram)[Bins]) {
        for (int i = 0; i < Items; ++i) atomicAdd(histogram + items[i], Counter(1));
    }
};

CUB_NAMESPACE_END
