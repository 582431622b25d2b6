// cub::DeviceFor and cub::DeviceTransform without the choice of an execution environment.
#pragma once
#include "cub/device/device_reduce.cuh"

CUB_NAMESPACE_BEGIN

struct DeviceFor {
    template <std::integral N, class Operator>
    static cudaError_t Bulk(N n, Operator op, SIMT_DEVICE_WIDE_CALL) {
        return simt::run_device_wide("cub::DeviceFor::Bulk", stream, where, [=]() mutable {
            for (N i = 0; i < n; ++i) op(i);
        });
    }
    template <class Iterator, std::integral N, class Operator>
    static cudaError_t ForEachN(Iterator first, N n, Operator op, SIMT_DEVICE_WIDE_CALL) {
        return simt::run_device_wide("cub::DeviceFor::ForEachN", stream, where, [=]() mutable {
            for (N i = 0; i < n; ++i) op(first[i]);
        });
    }
    template <class Iterator, class Operator>
    static cudaError_t ForEach(Iterator first, Iterator last, Operator op, SIMT_DEVICE_WIDE_CALL) {
        return ForEachN(first, static_cast<int64_t>(last - first), op, stream, where);
    }
};

struct DeviceTransform {
    template <class In, class Out, std::integral N, class Operator>
    static cudaError_t Transform(In in, Out out, N n, Operator op, SIMT_DEVICE_WIDE_CALL) {
        return simt::run_device_wide("cub::DeviceTransform::Transform", stream, where, [=]() mutable {
            for (N i = 0; i < n; ++i) out[i] = op(in[i]);
        });
    }
};

CUB_NAMESPACE_END
