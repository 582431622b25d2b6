// How BlockRadixSort ranks keys: a counter per digit and thread in shared memory, scanned with the digit as the slower index.
#pragma once
#include "cub/block/block_scan.cuh"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

template <int BlockX, int RadixBits, int BlockY, int BlockZ>
class radix_rank {
    typedef block_shape<BlockX, BlockY, BlockZ> shape;
    static constexpr int digits = 1 << RadixBits;
    typedef BlockScan<unsigned, BlockX, BLOCK_SCAN_WARP_SCANS, BlockY, BlockZ> scan_type;

  public:
    struct storage {
        unsigned counters[digits * shape::threads];
        typename scan_type::TempStorage scan;
    };
    SIMT_INLINE explicit radix_rank(storage& temp) : storage_(temp), thread_(shape::thread()) {}

    // ranks[i]: the place of key i in the block, sorted stably by (keys[i] >> first_bit) % 2^bits.
    template <class Bits, int Items>
    SIMT_INLINE void rank(const Bits (&keys)[Items], int (&ranks)[Items], int first_bit, int bits) {
        for (int digit = 0; digit < digits; ++digit) counter(digit) = 0;
        unsigned mask = (1u << bits) - 1;
        unsigned before[Items];
        for (int i = 0; i < Items; ++i) before[i] = counter(digit_of(keys[i], first_bit, mask))++;
        __syncthreads();
        scan_counters();
        __syncthreads();
        for (int i = 0; i < Items; ++i) ranks[i] = static_cast<int>(counter(digit_of(keys[i], first_bit, mask)) + before[i]);
    }

  private:
    template <class Bits>
    SIMT_INLINE static int digit_of(Bits key, int first_bit, unsigned mask) {
        return static_cast<int>(static_cast<unsigned>(key >> first_bit) & mask);
    }
    SIMT_INLINE unsigned& counter(int digit) { return storage_.counters[digit * shape::threads + thread_]; }

    // Each thread takes `digits` neighbouring counters.
    SIMT_INLINE void scan_counters() {
        unsigned* mine = storage_.counters + thread_ * digits;
        unsigned values[digits];
        for (int i = 0; i < digits; ++i) values[i] = mine[i];
        scan_type(storage_.scan).ExclusiveSum(values, values);
        for (int i = 0; i < digits; ++i) mine[i] = values[i];
    }

    storage& storage_;
    int thread_;
};

}  // namespace simt_detail
CUB_NAMESPACE_END
