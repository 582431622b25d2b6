// cub::DeviceMergeSort: by comparison, and stable under every name.
#pragma once
#include <concepts>

#include "cub/util_type.cuh"
#include "simt/device_sorts.h"
#include "simt/device_wide.h"

CUB_NAMESPACE_BEGIN

struct DeviceMergeSort {
    template <class KeysIn, class KeysOut, std::integral N, class Compare>
    static cudaError_t SortKeysCopy(void* temporary, size_t& bytes, KeysIn in, KeysOut out, N n, Compare compare,
                                    SIMT_DEVICE_WIDE_CALL) {
        return sort(temporary, bytes, in, simt::no_values(), out, simt::no_values(), static_cast<int64_t>(n), compare, stream,
                    where);
    }
    template <class Keys, std::integral N, class Compare>
    static cudaError_t SortKeys(void* temporary, size_t& bytes, Keys keys, N n, Compare compare, SIMT_DEVICE_WIDE_CALL) {
        return SortKeysCopy(temporary, bytes, keys, keys, n, compare, stream, where);
    }
    template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, std::integral N, class Compare>
    static cudaError_t SortPairsCopy(void* temporary, size_t& bytes, KeysIn in, ValuesIn values_in, KeysOut out,
                                     ValuesOut values_out, N n, Compare compare, SIMT_DEVICE_WIDE_CALL) {
        return sort(temporary, bytes, in, values_in, out, values_out, static_cast<int64_t>(n), compare, stream, where);
    }
    template <class Keys, class Values, std::integral N, class Compare>
    static cudaError_t SortPairs(void* temporary, size_t& bytes, Keys keys, Values values, N n, Compare compare,
                                 SIMT_DEVICE_WIDE_CALL) {
        return SortPairsCopy(temporary, bytes, keys, values, keys, values, n, compare, stream, where);
    }
    template <class Keys, std::integral N, class Compare>
    static cudaError_t StableSortKeys(void* temporary, size_t& bytes, Keys keys, N n, Compare compare, SIMT_DEVICE_WIDE_CALL) {
        return SortKeys(temporary, bytes, keys, n, compare, stream, where);
    }
    template <class KeysIn, class KeysOut, std::integral N, class Compare>
    static cudaError_t StableSortKeysCopy(void* temporary, size_t& bytes, KeysIn in, KeysOut out, N n, Compare compare,
                                          SIMT_DEVICE_WIDE_CALL) {
        return SortKeysCopy(temporary, bytes, in, out, n, compare, stream, where);
    }
    template <class Keys, class Values, std::integral N, class Compare>
    static cudaError_t StableSortPairs(void* temporary, size_t& bytes, Keys keys, Values values, N n, Compare compare,
                                       SIMT_DEVICE_WIDE_CALL) {
        return SortPairs(temporary, bytes, keys, values, n, compare, stream, where);
    }

  private:
    static simt::no_values part(simt::no_values, void*, int64_t) { return {}; }
    template <class Iterator>
    static simt_detail::value_of<Iterator>* part(Iterator, void* memory, int64_t first) {
        return static_cast<simt_detail::value_of<Iterator>*>(memory) + first;
    }
    static size_t size_of(simt::no_values) { return 0; }
    template <class Iterator>
    static size_t size_of(Iterator) {
        return sizeof(simt_detail::value_of<Iterator>);
    }
    static void move(simt::no_values, simt::no_values, int64_t) {}
    template <class To, class From>
    static void move(To to, From from, int64_t n) {
        for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    }

    // Everything happens in temporary storage, so that any iterator will do: keys and values, each followed by spare room.
    template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Compare>
    static cudaError_t sort(void* temporary, size_t& bytes, KeysIn in, ValuesIn values_in, KeysOut out, ValuesOut values_out,
                            int64_t n, Compare compare, cudaStream_t stream, const simt::caller& where) {
        size_t offset = (2 * static_cast<size_t>(n) * size_of(in) + 255) / 256 * 256;
        size_t needed = offset + 2 * static_cast<size_t>(n) * size_of(values_in);
        void* behind = static_cast<char*>(temporary) + offset;
        return simt::with_temporary("cub::DeviceMergeSort", temporary, bytes, needed, stream, where, [=]() mutable {
            auto keys = part(in, temporary, 0), spare = part(in, temporary, n);
            auto values = part(values_in, behind, 0), spare_values = part(values_in, behind, n);
            move(keys, in, n);
            move(values, values_in, n);
            simt::merge_sort(keys, values, spare, spare_values, n, compare);
            move(out, keys, n);
            move(values_out, values, n);
        });
    }
};

CUB_NAMESPACE_END
