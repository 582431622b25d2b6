// cub::DeviceRunLengthEncode.
#pragma once
#include "cub/device/device_scan.cuh"

CUB_NAMESPACE_BEGIN

struct DeviceRunLengthEncode {
    // Each run of equal items as its item and its length; `runs` gets their number.
    template <class In, class Unique, class Lengths, class Runs, std::integral N>
    static cudaError_t Encode(void* temporary, size_t& bytes, In in, Unique unique, Lengths lengths, Runs runs, N n,
                              SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceRunLengthEncode::Encode", temporary, bytes, simt::for_tiles_of(n), stream,
                                    where, [=]() mutable {
                                        N count = 0;
                                        Equality equal;
                                        simt_detail::for_each_run(in, n, equal, [&](N first, N last) {
                                            unique[count] = in[first];
                                            lengths[count++] = last - first;
                                        });
                                        *runs = count;
                                    });
    }
    // Offset and length of each run of two items or more.
    template <class In, class Offsets, class Lengths, class Runs, std::integral N>
    static cudaError_t NonTrivialRuns(void* temporary, size_t& bytes, In in, Offsets offsets, Lengths lengths, Runs runs, N n,
                                      SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceRunLengthEncode::NonTrivialRuns", temporary, bytes, simt::for_tiles_of(n),
                                    stream, where, [=]() mutable {
                                        N count = 0;
                                        Equality equal;
                                        simt_detail::for_each_run(in, n, equal, [&](N first, N last) {
                                            if (last - first < 2) return;
                                            offsets[count] = first;
                                            lengths[count++] = last - first;
                                        });
                                        *runs = count;
                                    });
    }
};

CUB_NAMESPACE_END
