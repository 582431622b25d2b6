// cub::DeviceSelect and cub::DevicePartition: the items that are wanted, in their order.
#pragma once
#include "cub/device/device_reduce.cuh"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

// Copies in[i] for which wanted(i) to `out`, and how many they are to `count`. Input and output may be the same.
template <class In, class Out, class Count, class N, class Wanted>
SIMT_INLINE void select(In in, Out out, Count count, N n, Wanted wanted) {
    N selected = 0;
    for (N i = 0; i < n; ++i)
        if (wanted(i)) out[selected++] = in[i];
    *count = selected;
}

// The same, with the other items behind them in reverse order.
template <class In, class Out, class Count, class N, class Wanted>
SIMT_INLINE void partition(In in, Out out, Count count, N n, Wanted wanted) {
    N selected = 0, rejected = n;
    for (N i = 0; i < n; ++i) {
        bool is_wanted = wanted(i);
        out[is_wanted ? selected++ : --rejected] = in[i];
    }
    *count = selected;
}

}  // namespace simt_detail

struct DeviceSelect {
    template <class In, class Flags, class Out, class Count, std::integral N>
    static cudaError_t Flagged(void* temporary, size_t& bytes, In in, Flags flags, Out out, Count count, N n,
                               SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceSelect::Flagged", temporary, bytes, simt::for_tiles_of(n), stream, where,
            [=]() mutable { simt_detail::select(in, out, count, n, [&](N i) { return static_cast<bool>(flags[i]); }); });
    }
    template <class Iterator, class Flags, class Count, std::integral N>
    static cudaError_t Flagged(void* temporary, size_t& bytes, Iterator data, Flags flags, Count count, N n,
                               SIMT_DEVICE_WIDE_CALL) {
        return Flagged(temporary, bytes, data, flags, data, count, n, stream, where);
    }
    template <class In, class Out, class Count, std::integral N, class Predicate>
    static cudaError_t If(void* temporary, size_t& bytes, In in, Out out, Count count, N n, Predicate predicate,
                          SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceSelect::If", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                simt_detail::select(in, out, count, n, [&](N i) { return static_cast<bool>(predicate(in[i])); });
            });
    }
    template <class Iterator, class Count, std::integral N, class Predicate>
    static cudaError_t If(void* temporary, size_t& bytes, Iterator data, Count count, N n, Predicate predicate,
                          SIMT_DEVICE_WIDE_CALL) {
        return If(temporary, bytes, data, data, count, n, predicate, stream, where);
    }
    template <class In, class Flags, class Out, class Count, std::integral N, class Predicate>
    static cudaError_t FlaggedIf(void* temporary, size_t& bytes, In in, Flags flags, Out out, Count count, N n,
                                 Predicate predicate, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceSelect::FlaggedIf", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                simt_detail::select(in, out, count, n, [&](N i) { return static_cast<bool>(predicate(flags[i])); });
            });
    }
    // The first item of each run of equal ones.
    template <class In, class Out, class Count, std::integral N>
    static cudaError_t Unique(void* temporary, size_t& bytes, In in, Out out, Count count, N n, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceSelect::Unique", temporary, bytes, simt::for_tiles_of(n), stream, where,
                                    [=]() mutable {
                                        simt_detail::value_of<In> before{};
                                        simt_detail::select(in, out, count, n, [&](N i) {
                                            bool differs = i == 0 || !(before == in[i]);
                                            before = in[i];
                                            return differs;
                                        });
                                    });
    }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Count, std::integral N>
    static cudaError_t UniqueByKey(void* temporary, size_t& bytes, Keys keys, Values values, KeysOut keys_out,
                                   ValuesOut values_out, Count count, N n, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceSelect::UniqueByKey", temporary, bytes, simt::for_tiles_of(n), stream, where,
                                    [=]() mutable {
                                        N selected = 0;
                                        simt_detail::value_of<Keys> before{};
                                        for (N i = 0; i < n; ++i) {
                                            simt_detail::value_of<Keys> key = keys[i];
                                            if (i == 0 || !(before == key)) {
                                                keys_out[selected] = key;
                                                values_out[selected++] = values[i];
                                            }
                                            before = key;
                                        }
                                        *count = selected;
                                    });
    }
};

struct DevicePartition {
    template <class In, class Flags, class Out, class Count, std::integral N>
    static cudaError_t Flagged(void* temporary, size_t& bytes, In in, Flags flags, Out out, Count count, N n,
                               SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DevicePartition::Flagged", temporary, bytes, simt::for_tiles_of(n), stream, where,
            [=]() mutable { simt_detail::partition(in, out, count, n, [&](N i) { return static_cast<bool>(flags[i]); }); });
    }
    template <class In, class Out, class Count, std::integral N, class Predicate>
    static cudaError_t If(void* temporary, size_t& bytes, In in, Out out, Count count, N n, Predicate predicate,
                          SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DevicePartition::If", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                simt_detail::partition(in, out, count, n, [&](N i) { return static_cast<bool>(predicate(in[i])); });
            });
    }
};

CUB_NAMESPACE_END
