// cub::DeviceRadixSort, DeviceSegmentedRadixSort and DeviceSegmentedSort.
#pragma once
#include <concepts>

#include "cub/util_type.cuh"
#include "simt/device_sorts.h"
#include "simt/device_wide.h"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

// The bits of a key, in the order of the sort.
template <bool Descending, class Key>
struct radix_code {
    SIMT_INLINE typename Traits<Key>::UnsignedBits operator()(const Key& key) const {
        typename Traits<Key>::UnsignedBits bits;
        __builtin_memcpy(&bits, &key, sizeof bits);
        bits = Traits<Key>::RadixCode(bits);
        return static_cast<typename Traits<Key>::UnsignedBits>(Descending ? ~bits : bits);
    }
};

// The part of temporary storage behind the keys that holds values.
template <class Key>
SIMT_INLINE size_t value_offset(int64_t n) {
    return (static_cast<size_t>(n) * sizeof(Key) + 255) / 256 * 256;
}

struct whole {  // the one segment of a sort that has no others
    int64_t items;
    template <std::integral N>
    explicit whole(N n) : items(static_cast<int64_t>(n)) {}
    int64_t count() const { return 1; }
    int64_t begin(int64_t) const { return 0; }
    int64_t end(int64_t) const { return items; }
};

template <class Begin, class End>
struct segments {
    int64_t number;
    Begin begins;
    End ends;
    int64_t count() const { return number; }
    int64_t begin(int64_t i) const { return begins[i]; }
    int64_t end(int64_t i) const { return ends[i]; }
};

struct sort_call {  // what a sort was called with, apart from keys and values
    const char* name;
    void* temporary;
    size_t& bytes;
    cudaStream_t stream;
    const simt::caller& where;

    template <class Body>
    cudaError_t run(size_t needed, Body body) const {
        return simt::with_temporary(name, temporary, bytes, needed, stream, where, body);
    }
};

struct bit_range {
    int first, last;
};

// Copies each segment and sorts the copy.
template <bool Descending, class Key, class Segments>
cudaError_t sort_keys(sort_call call, const Key* in, Key* out, int64_t n, Segments parts, bit_range bits) {
    auto spare = static_cast<Key*>(call.temporary);
    return call.run(value_offset<Key>(n), [=] {
        for (int64_t s = 0; s < parts.count(); ++s) {
            int64_t first = parts.begin(s), count = parts.end(s) - first;
            for (int64_t i = first; i < first + count; ++i) out[i] = in[i];
            simt::radix_sort(out + first, simt::no_values(), spare, simt::no_values(), count, bits.first, bits.last,
                             radix_code<Descending, Key>());
        }
    });
}

template <bool Descending, class Key, class Value, class Segments>
cudaError_t sort_pairs(sort_call call, const Key* in, Key* out, const Value* values_in, Value* values_out, int64_t n,
                       Segments parts, bit_range bits) {
    size_t offset = value_offset<Key>(n);
    auto spare = static_cast<Key*>(call.temporary);
    auto spare_values = reinterpret_cast<Value*>(static_cast<char*>(call.temporary) + offset);
    return call.run(offset + static_cast<size_t>(n) * sizeof(Value), [=] {
        for (int64_t s = 0; s < parts.count(); ++s) {
            int64_t first = parts.begin(s), count = parts.end(s) - first;
            for (int64_t i = first; i < first + count; ++i) out[i] = in[i], values_out[i] = values_in[i];
            simt::radix_sort(out + first, values_out + first, spare, spare_values, count, bits.first, bits.last,
                             radix_code<Descending, Key>());
        }
    });
}

// Between the buffers of a DoubleBuffer: the result is in the one that was the other.
template <bool Descending, class Key, class Segments>
cudaError_t sort_keys(sort_call call, DoubleBuffer<Key>& keys, int64_t n, Segments parts, bit_range bits) {
    cudaError_t error = sort_keys<Descending>(call, keys.Current(), keys.Alternate(), n, parts, bits);
    if (call.temporary && error == cudaSuccess) keys.selector ^= 1;
    return error;
}

template <bool Descending, class Key, class Value, class Segments>
cudaError_t sort_pairs(sort_call call, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, int64_t n, Segments parts,
                       bit_range bits) {
    cudaError_t error =
        sort_pairs<Descending>(call, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, parts, bits);
    if (call.temporary && error == cudaSuccess) keys.selector ^= 1, values.selector ^= 1;
    return error;
}

}  // namespace simt_detail

#define SIMT_CUB_CALL(NAME) \
    simt_detail::sort_call { NAME, temporary, bytes, stream, where }
#define SIMT_CUB_BITS(KEY) int first_bit = 0, int last_bit = int(sizeof(KEY) * 8)

struct DeviceRadixSort {
#define SIMT_CUB_SORTS(SUFFIX, DESCENDING)                                                                                     \
    template <class Key, std::integral N>                                                                                      \
    static cudaError_t SortKeys##SUFFIX(void* temporary, size_t& bytes, const Key* in, Key* out, N n, SIMT_CUB_BITS(Key),      \
                                        SIMT_DEVICE_WIDE_CALL) {                                                               \
        return simt_detail::sort_keys<DESCENDING>(SIMT_CUB_CALL("cub::DeviceRadixSort::SortKeys" #SUFFIX), in, out, n,         \
                                                  simt_detail::whole{n}, {first_bit, last_bit});                               \
    }                                                                                                                          \
    template <class Key, std::integral N>                                                                                      \
    static cudaError_t SortKeys##SUFFIX(void* temporary, size_t& bytes, DoubleBuffer<Key>& keys, N n, SIMT_CUB_BITS(Key),      \
                                        SIMT_DEVICE_WIDE_CALL) {                                                               \
        return simt_detail::sort_keys<DESCENDING>(SIMT_CUB_CALL("cub::DeviceRadixSort::SortKeys" #SUFFIX), keys, n,            \
                                                  simt_detail::whole{n}, {first_bit, last_bit});                               \
    }                                                                                                                          \
    template <class Key, class Value, std::integral N>                                                                         \
    static cudaError_t SortPairs##SUFFIX(void* temporary, size_t& bytes, const Key* in, Key* out, const Value* values_in,      \
                                         Value* values_out, N n, SIMT_CUB_BITS(Key), SIMT_DEVICE_WIDE_CALL) {                  \
        return simt_detail::sort_pairs<DESCENDING>(SIMT_CUB_CALL("cub::DeviceRadixSort::SortPairs" #SUFFIX), in, out,          \
                                                   values_in, values_out, n, simt_detail::whole{n}, {first_bit, last_bit});    \
    }                                                                                                                          \
    template <class Key, class Value, std::integral N>                                                                         \
    static cudaError_t SortPairs##SUFFIX(void* temporary, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, \
                                         N n, SIMT_CUB_BITS(Key), SIMT_DEVICE_WIDE_CALL) {                                     \
        return simt_detail::sort_pairs<DESCENDING>(SIMT_CUB_CALL("cub::DeviceRadixSort::SortPairs" #SUFFIX), keys, values, n,  \
                                                   simt_detail::whole{n}, {first_bit, last_bit});                              \
    }
    SIMT_CUB_SORTS(, false)
    SIMT_CUB_SORTS(Descending, true)
#undef SIMT_CUB_SORTS
};

// Segment s goes from begins[s] to ends[s].
struct DeviceSegmentedRadixSort {
#define SIMT_CUB_SORTS(SUFFIX, DESCENDING)                                                                                     \
    template <class Key, class Begin, class End>                                                                               \
    static cudaError_t SortKeys##SUFFIX(void* temporary, size_t& bytes, const Key* in, Key* out, int64_t n, int64_t number,    \
                                        Begin begins, End ends, SIMT_CUB_BITS(Key), SIMT_DEVICE_WIDE_CALL) {                   \
        simt_detail::segments<Begin, End> parts{number, begins, ends};                                                         \
        return simt_detail::sort_keys<DESCENDING>(SIMT_CUB_CALL("cub::DeviceSegmentedRadixSort::SortKeys" #SUFFIX), in, out,   \
                                                  n, parts, {first_bit, last_bit});                                            \
    }                                                                                                                          \
    template <class Key, class Begin, class End>                                                                               \
    static cudaError_t SortKeys##SUFFIX(void* temporary, size_t& bytes, DoubleBuffer<Key>& keys, int64_t n, int64_t number,    \
                                        Begin begins, End ends, SIMT_CUB_BITS(Key), SIMT_DEVICE_WIDE_CALL) {                   \
        simt_detail::segments<Begin, End> parts{number, begins, ends};                                                         \
        return simt_detail::sort_keys<DESCENDING>(SIMT_CUB_CALL("cub::DeviceSegmentedRadixSort::SortKeys" #SUFFIX), keys, n,   \
                                                  parts, {first_bit, last_bit});                                               \
    }                                                                                                                          \
    template <class Key, class Value, class Begin, class End>                                                                  \
    static cudaError_t SortPairs##SUFFIX(void* temporary, size_t& bytes, const Key* in, Key* out, const Value* values_in,      \
                                         Value* values_out, int64_t n, int64_t number, Begin begins, End ends,                 \
                                         SIMT_CUB_BITS(Key), SIMT_DEVICE_WIDE_CALL) {                                          \
        simt_detail::segments<Begin, End> parts{number, begins, ends};                                                         \
        return simt_detail::sort_pairs<DESCENDING>(SIMT_CUB_CALL("cub::DeviceSegmentedRadixSort::SortPairs" #SUFFIX), in, out, \
                                                   values_in, values_out, n, parts, {first_bit, last_bit});                    \
    }                                                                                                                          \
    template <class Key, class Value, class Begin, class End>                                                                  \
    static cudaError_t SortPairs##SUFFIX(void* temporary, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, \
                                         int64_t n, int64_t number, Begin begins, End ends, SIMT_CUB_BITS(Key),                \
                                         SIMT_DEVICE_WIDE_CALL) {                                                              \
        simt_detail::segments<Begin, End> parts{number, begins, ends};                                                         \
        return simt_detail::sort_pairs<DESCENDING>(SIMT_CUB_CALL("cub::DeviceSegmentedRadixSort::SortPairs" #SUFFIX), keys,    \
                                                   values, n, parts, {first_bit, last_bit});                                   \
    }
    SIMT_CUB_SORTS(, false)
    SIMT_CUB_SORTS(Descending, true)
#undef SIMT_CUB_SORTS
};

// The same, by all bits of the keys.
struct DeviceSegmentedSort {
#define SIMT_CUB_SORTS(SUFFIX)                                                                                              \
    template <class Key, class Keys, class Begin, class End>                                                                \
    static cudaError_t SortKeys##SUFFIX(void* temporary, size_t& bytes, const Key* in, Keys out, int64_t n, int64_t number, \
                                        Begin begins, End ends, SIMT_DEVICE_WIDE_CALL) {                                    \
        return DeviceSegmentedRadixSort::SortKeys##SUFFIX(temporary, bytes, in, out, n, number, begins, ends, 0,            \
                                                          int(sizeof(Key) * 8), stream, where);                             \
    }                                                                                                                       \
    template <class... Arguments>                                                                                           \
    static cudaError_t StableSortKeys##SUFFIX(Arguments&&... arguments) {                                                   \
        return SortKeys##SUFFIX(static_cast<Arguments&&>(arguments)...);                                                    \
    }                                                                                                                       \
    template <class Key, class Value, class Begin, class End>                                                               \
    static cudaError_t SortPairs##SUFFIX(void* temporary, size_t& bytes, const Key* in, Key* out, const Value* values_in,   \
                                         Value* values_out, int64_t n, int64_t number, Begin begins, End ends,              \
                                         SIMT_DEVICE_WIDE_CALL) {                                                           \
        return DeviceSegmentedRadixSort::SortPairs##SUFFIX(temporary, bytes, in, out, values_in, values_out, n, number,     \
                                                           begins, ends, 0, int(sizeof(Key) * 8), stream, where);           \
    }                                                                                                                       \
    template <class... Arguments>                                                                                           \
    static cudaError_t StableSortPairs##SUFFIX(Arguments&&... arguments) {                                                  \
        return SortPairs##SUFFIX(static_cast<Arguments&&>(arguments)...);                                                   \
    }
    SIMT_CUB_SORTS()
    SIMT_CUB_SORTS(Descending)
#undef SIMT_CUB_SORTS
};

#undef SIMT_CUB_CALL
#undef SIMT_CUB_BITS

CUB_NAMESPACE_END
