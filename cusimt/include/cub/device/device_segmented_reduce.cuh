// cub::DeviceSegmentedReduce: one result per segment, given by the offsets of its begin and end.
#pragma once
#include "cub/device/device_reduce.cuh"

CUB_NAMESPACE_BEGIN

struct DeviceSegmentedReduce {
    template <class In, class Out, class Begin, class End, class Operator, class T>
    static cudaError_t Reduce(void* temporary, size_t& bytes, In in, Out out, int64_t segments, Begin begin, End end,
                              Operator op, T initial, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceSegmentedReduce::Reduce", temporary, bytes, 0, stream, where, [=]() mutable {
            for (int64_t s = 0; s < segments; ++s)
                out[s] = simt_detail::fold(in, int64_t(begin[s]), int64_t(end[s]), op, initial);
        });
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Sum(void* temporary, size_t& bytes, In in, Out out, int64_t segments, Begin begin, End end,
                           SIMT_DEVICE_WIDE_CALL) {
        simt_detail::value_of<Out> zero{};
        return Reduce(temporary, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::Sum(), zero, stream, where);
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Min(void* temporary, size_t& bytes, In in, Out out, int64_t segments, Begin begin, End end,
                           SIMT_DEVICE_WIDE_CALL) {
        auto most = Traits<simt_detail::value_of<In>>::Max();
        return Reduce(temporary, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::Min(), most, stream, where);
    }
    template <class In, class Out, class Begin, class End>
    static cudaError_t Max(void* temporary, size_t& bytes, In in, Out out, int64_t segments, Begin begin, End end,
                           SIMT_DEVICE_WIDE_CALL) {
        auto least = Traits<simt_detail::value_of<In>>::Lowest();
        return Reduce(temporary, bytes, in, out, segments, begin, end, CUB_NS_QUALIFIER::Max(), least, stream, where);
    }

    // Pairs of the place within the segment and the value. An empty segment gives place 1 and the worst value, as CUB does.
#define SIMT_CUB_ARG(NAME, BETTER, WORST)                                                                                     \
    template <class In, class Out, class Begin, class End>                                                                    \
    static cudaError_t NAME(void* temporary, size_t& bytes, In in, Out out, int64_t segments, Begin begin, End end,           \
                            SIMT_DEVICE_WIDE_CALL) {                                                                          \
        typedef simt_detail::value_of<Out> pair;                                                                              \
        typedef Traits<simt_detail::value_of<In>> limits;                                                                     \
        return simt::with_temporary("cub::DeviceSegmentedReduce::" #NAME, temporary, bytes, 0, stream, where, [=]() mutable { \
            for (int64_t s = 0; s < segments; ++s) {                                                                          \
                int64_t first = begin[s], last = end[s];                                                                      \
                int64_t best =                                                                                                \
                    simt_detail::place_of_best(in, first, last, [](const auto& a, const auto& b) { return BETTER; });         \
                out[s] = first < last ? pair(static_cast<int>(best - first), in[best]) : pair(1, limits::WORST());            \
            }                                                                                                                 \
        });                                                                                                                   \
    }
    SIMT_CUB_ARG(ArgMin, b < a, Max)
    SIMT_CUB_ARG(ArgMax, a < b, Lowest)
#undef SIMT_CUB_ARG
};

CUB_NAMESPACE_END
