// cub::DeviceScan: prefix sums and scans, of a whole sequence or of each run of equal keys. Input and output may be the same.
#pragma once
#include "cub/device/device_reduce.cuh"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

template <class In, class Out, class N, class Operator>
SIMT_INLINE void scan_inclusive(In in, Out out, N first, N last, Operator& op) {
    if (first >= last) return;
    typedef value_of<In> item;
    accumulator<Operator, item, item> running = in[first];
    out[first] = running;
    for (N i = first + 1; i < last; ++i) out[i] = running = op(running, in[i]);
}

template <class In, class Out, class N, class Operator, class T>
SIMT_INLINE void scan_exclusive(In in, Out out, N first, N last, Operator& op, T initial) {
    accumulator<Operator, T, value_of<In>> running = initial;
    for (N i = first; i < last; ++i) {
        value_of<In> item = in[i];
        out[i] = running;
        running = op(running, item);
    }
}

// Calls `visit(first, last)` for each run of equal keys.
template <class Keys, class N, class Equal, class Visit>
SIMT_INLINE void for_each_run(Keys keys, N n, Equal& equal, Visit visit) {
    for (N first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && equal(keys[last - 1], keys[last]); ++last) {
        }
        visit(first, last);
    }
}

}  // namespace simt_detail

struct DeviceScan {
    template <class In, class Out, class Operator, class T, std::integral N>
    static cudaError_t ExclusiveScan(void* temporary, size_t& bytes, In in, Out out, Operator op, T initial, N n,
                                     SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceScan::ExclusiveScan", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                if constexpr (requires { typename T::iterator_type; })  // a FutureValue: read now
                    simt_detail::scan_exclusive(in, out, N(0), n, op, static_cast<typename T::value_type>(initial));
                else simt_detail::scan_exclusive(in, out, N(0), n, op, initial);
            });
    }
    template <class Iterator, class Operator, class T, std::integral N>
    static cudaError_t ExclusiveScan(void* temporary, size_t& bytes, Iterator data, Operator op, T initial, N n,
                                     SIMT_DEVICE_WIDE_CALL) {
        return ExclusiveScan(temporary, bytes, data, data, op, initial, n, stream, where);
    }
    template <class In, class Out, std::integral N>
    static cudaError_t ExclusiveSum(void* temporary, size_t& bytes, In in, Out out, N n, SIMT_DEVICE_WIDE_CALL) {
        simt_detail::value_of<In> zero{};
        return ExclusiveScan(temporary, bytes, in, out, Sum(), zero, n, stream, where);
    }
    template <class Iterator, std::integral N>
    static cudaError_t ExclusiveSum(void* temporary, size_t& bytes, Iterator data, N n, SIMT_DEVICE_WIDE_CALL) {
        return ExclusiveSum(temporary, bytes, data, data, n, stream, where);
    }
    template <class In, class Out, class Operator, std::integral N>
    static cudaError_t InclusiveScan(void* temporary, size_t& bytes, In in, Out out, Operator op, N n, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceScan::InclusiveScan", temporary, bytes, simt::for_tiles_of(n), stream, where,
                                    [=]() mutable { simt_detail::scan_inclusive(in, out, N(0), n, op); });
    }
    template <class Iterator, class Operator, std::integral N>
    static cudaError_t InclusiveScan(void* temporary, size_t& bytes, Iterator data, Operator op, N n, SIMT_DEVICE_WIDE_CALL) {
        return InclusiveScan(temporary, bytes, data, data, op, n, stream, where);
    }
    template <class In, class Out, class Operator, class T, std::integral N>
    static cudaError_t InclusiveScanInit(void* temporary, size_t& bytes, In in, Out out, Operator op, T initial, N n,
                                         SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceScan::InclusiveScanInit", temporary, bytes, simt::for_tiles_of(n), stream,
                                    where, [=]() mutable {
                                        simt_detail::accumulator<Operator, T, simt_detail::value_of<In>> running = initial;
                                        for (N i = 0; i < n; ++i) out[i] = running = op(running, in[i]);
                                    });
    }
    template <class In, class Out, std::integral N>
    static cudaError_t InclusiveSum(void* temporary, size_t& bytes, In in, Out out, N n, SIMT_DEVICE_WIDE_CALL) {
        return InclusiveScan(temporary, bytes, in, out, Sum(), n, stream, where);
    }
    template <class Iterator, std::integral N>
    static cudaError_t InclusiveSum(void* temporary, size_t& bytes, Iterator data, N n, SIMT_DEVICE_WIDE_CALL) {
        return InclusiveSum(temporary, bytes, data, data, n, stream, where);
    }

    // ---- by key: every run of equal keys is scanned by itself ----
    template <class Keys, class In, class Out, class Operator, std::integral N, class Equal = Equality>
    static cudaError_t InclusiveScanByKey(void* temporary, size_t& bytes, Keys keys, In in, Out out, Operator op, N n,
                                          Equal equal = Equal(), SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceScan::InclusiveScanByKey", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                simt_detail::for_each_run(keys, n, equal,
                                          [&](N first, N last) { simt_detail::scan_inclusive(in, out, first, last, op); });
            });
    }
    template <class Keys, class In, class Out, class Operator, class T, std::integral N, class Equal = Equality>
    static cudaError_t ExclusiveScanByKey(void* temporary, size_t& bytes, Keys keys, In in, Out out, Operator op, T initial,
                                          N n, Equal equal = Equal(), SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceScan::ExclusiveScanByKey", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                simt_detail::for_each_run(
                    keys, n, equal, [&](N first, N last) { simt_detail::scan_exclusive(in, out, first, last, op, initial); });
            });
    }
    template <class Keys, class In, class Out, std::integral N, class Equal = Equality>
    static cudaError_t InclusiveSumByKey(void* temporary, size_t& bytes, Keys keys, In in, Out out, N n, Equal equal = Equal(),
                                         SIMT_DEVICE_WIDE_CALL) {
        return InclusiveScanByKey(temporary, bytes, keys, in, out, Sum(), n, equal, stream, where);
    }
    template <class Keys, class In, class Out, std::integral N, class Equal = Equality>
    static cudaError_t ExclusiveSumByKey(void* temporary, size_t& bytes, Keys keys, In in, Out out, N n, Equal equal = Equal(),
                                         SIMT_DEVICE_WIDE_CALL) {
        simt_detail::value_of<In> zero{};
        return ExclusiveScanByKey(temporary, bytes, keys, in, out, Sum(), zero, n, equal, stream, where);
    }
};

CUB_NAMESPACE_END
