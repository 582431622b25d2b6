// cub::DeviceAdjacentDifference: an operator applied to each item and its neighbour.
#pragma once
#include "cub/device/device_reduce.cuh"

CUB_NAMESPACE_BEGIN

struct DeviceAdjacentDifference {
    // out[i] = op(in[i], in[i - 1]); the first item is copied.
    template <class In, class Out, class Operator = Difference, std::integral N>
    static cudaError_t SubtractLeftCopy(void* temporary, size_t& bytes, In in, Out out, N n, Operator op = Operator(),
                                        SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceAdjacentDifference::SubtractLeft", temporary, bytes, 0, stream, where,
                                    [=]() mutable {
                                        for (N i = n - 1; i > 0; --i) out[i] = op(in[i], in[i - 1]);
                                        if (n > 0) out[0] = in[0];
                                    });
    }
    template <class Iterator, class Operator = Difference, std::integral N>
    static cudaError_t SubtractLeft(void* temporary, size_t& bytes, Iterator data, N n, Operator op = Operator(),
                                    SIMT_DEVICE_WIDE_CALL) {
        return SubtractLeftCopy(temporary, bytes, data, data, n, op, stream, where);
    }
    // out[i] = op(in[i], in[i + 1]); the last item is copied.
    template <class In, class Out, class Operator = Difference, std::integral N>
    static cudaError_t SubtractRightCopy(void* temporary, size_t& bytes, In in, Out out, N n, Operator op = Operator(),
                                         SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceAdjacentDifference::SubtractRight", temporary, bytes, 0, stream, where,
                                    [=]() mutable {
                                        for (N i = 0; i + 1 < n; ++i) out[i] = op(in[i], in[i + 1]);
                                        if (n > 0) out[n - 1] = in[n - 1];
                                    });
    }
    template <class Iterator, class Operator = Difference, std::integral N>
    static cudaError_t SubtractRight(void* temporary, size_t& bytes, Iterator data, N n, Operator op = Operator(),
                                     SIMT_DEVICE_WIDE_CALL) {
        return SubtractRightCopy(temporary, bytes, data, data, n, op, stream, where);
    }
};

CUB_NAMESPACE_END
