// cub::DeviceReduce.
#pragma once
#include <concepts>

#include "cub/thread/thread_operators.cuh"
#include "simt/device_wide.h"

CUB_NAMESPACE_BEGIN
namespace simt_detail {

// What an operator makes of an initial value and an item: the type that CUB accumulates in.
template <class Operator, class Initial, class Item>
using accumulator = std::decay_t<std::invoke_result_t<Operator&, Initial, Item>>;

// `item(first)` to `item(last - 1)`, first < last, in the shape of a GPU's reduction: a thread's few items one by one, these
// results in pairs. One running sum of many halves, or floats, would lose what a GPU keeps.
template <class Result, class Operator, class N, class Item>
Result fold_pairs(N first, N last, Operator& op, Item& item) {
    constexpr N of_a_thread = 16;
    if (last - first > of_a_thread) {
        const N middle = first + (last - first) / 2;
        Result before = fold_pairs<Result>(first, middle, op, item);
        return op(before, fold_pairs<Result>(middle, last, op, item));
    }
    Result result = item(first);
    for (N i = first + 1; i < last; ++i) result = op(result, item(i));
    return result;
}

template <class Operator, class T, class N, class Item>
SIMT_INLINE auto fold_items(N first, N last, Operator& op, T initial, Item item) {
    typedef accumulator<Operator, T, std::decay_t<std::invoke_result_t<Item&, N>>> result;
    return first < last ? result(op(initial, fold_pairs<result>(first, last, op, item))) : result(initial);
}

template <class Operator, class In, class T, class N>
SIMT_INLINE auto fold(In in, N first, N last, Operator& op, T initial) {
    return fold_items(first, last, op, initial, [&](N i) -> value_of<In> { return in[i]; });
}

// The best item of in[first, last) and its place; of equal ones the first. `better(a, b)`: b replaces a.
template <class In, class N, class Better>
SIMT_INLINE N place_of_best(In in, N first, N last, Better better) {
    N best = first;
    for (N i = first + 1; i < last; ++i)
        if (better(in[best], in[i])) best = i;
    return best;
}

// Has Traits, and so a least and a largest value.
template <class In>
inline constexpr bool has_limits = category<value_of<In>>() != NOT_A_NUMBER;

}  // namespace simt_detail

struct DeviceReduce {
    template <class In, class Out, std::integral N, class Operator, class T>
    static cudaError_t Reduce(void* temporary, size_t& bytes, In in, Out out, N n, Operator op, T initial,
                              SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary("cub::DeviceReduce::Reduce", temporary, bytes, simt::for_tiles_of(n), stream, where,
                                    [=]() mutable { *out = simt_detail::fold(in, N(0), n, op, initial); });
    }
    template <class In, class Out, std::integral N, class Operator, class Transform, class T>
    static cudaError_t TransformReduce(void* temporary, size_t& bytes, In in, Out out, N n, Operator op, Transform transform,
                                       T initial, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceReduce::TransformReduce", temporary, bytes, simt::for_tiles_of(n), stream, where,
            [=]() mutable { *out = simt_detail::fold_items(N(0), n, op, initial, [&](N i) { return transform(in[i]); }); });
    }
    template <class In, class Out, std::integral N>
    static cudaError_t Sum(void* temporary, size_t& bytes, In in, Out out, N n, SIMT_DEVICE_WIDE_CALL) {
        typedef simt_detail::value_of<Out> T;
        return Reduce(temporary, bytes, in, out, n, CUB_NS_QUALIFIER::Sum(), T(), stream, where);
    }
    template <class In, class Out, std::integral N>
    static cudaError_t Min(void* temporary, size_t& bytes, In in, Out out, N n, SIMT_DEVICE_WIDE_CALL) {
        typedef simt_detail::value_of<In> T;
        return Reduce(temporary, bytes, in, out, n, CUB_NS_QUALIFIER::Min(), Traits<T>::Max(), stream, where);
    }
    template <class In, class Out, std::integral N>
    static cudaError_t Max(void* temporary, size_t& bytes, In in, Out out, N n, SIMT_DEVICE_WIDE_CALL) {
        typedef simt_detail::value_of<In> T;
        return Reduce(temporary, bytes, in, out, n, CUB_NS_QUALIFIER::Max(), Traits<T>::Lowest(), stream, where);
    }

    // Into a KeyValuePair, or into a value and an index. No items give place 1 and the worst value, as for an empty segment.
#define SIMT_CUB_ARG(NAME, BETTER, WORST)                                                                                   \
    template <class In, class Out, std::integral N>                                                                         \
    static cudaError_t NAME(void* temporary, size_t& bytes, In in, Out out, N n, SIMT_DEVICE_WIDE_CALL) {                   \
        typedef simt_detail::value_of<Out> pair;                                                                            \
        return simt::with_temporary(                                                                                        \
            "cub::DeviceReduce::" #NAME, temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {            \
                N best = simt_detail::place_of_best(in, N(0), n, [](const auto& a, const auto& b) { return BETTER; });      \
                if (n > 0) *out = pair(static_cast<int>(best), in[best]);                                                   \
                else if constexpr (simt_detail::has_limits<In>) *out = pair(1, Traits<simt_detail::value_of<In>>::WORST()); \
            });                                                                                                             \
    }                                                                                                                       \
    template <class In, class Out, class Index, std::integral N>                                                            \
    static cudaError_t NAME(void* temporary, size_t& bytes, In in, Out out, Index index, N n, SIMT_DEVICE_WIDE_CALL) {      \
        return simt::with_temporary(                                                                                        \
            "cub::DeviceReduce::" #NAME, temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {            \
                N best = simt_detail::place_of_best(in, N(0), n, [](const auto& a, const auto& b) { return BETTER; });      \
                if (n > 0) *out = in[best];                                                                                 \
                else if constexpr (simt_detail::has_limits<In>) *out = Traits<simt_detail::value_of<In>>::WORST();          \
                *index = n > 0 ? best : N(1);                                                                               \
            });                                                                                                             \
    }
    SIMT_CUB_ARG(ArgMin, b < a, Max)
    SIMT_CUB_ARG(ArgMax, a < b, Lowest)
#undef SIMT_CUB_ARG

    // Runs of equal keys become one key and the reduction of their values; `runs` gets their number.
    template <class Keys, class UniqueOut, class Values, class Out, class Runs, class Operator, std::integral N>
    static cudaError_t ReduceByKey(void* temporary, size_t& bytes, Keys keys, UniqueOut unique, Values values, Out out,
                                   Runs runs, Operator op, N n, SIMT_DEVICE_WIDE_CALL) {
        return simt::with_temporary(
            "cub::DeviceReduce::ReduceByKey", temporary, bytes, simt::for_tiles_of(n), stream, where, [=]() mutable {
                N count = 0;
                for (N first = 0, last; first < n; first = last, ++count) {
                    simt_detail::value_of<Keys> key = keys[first];
                    for (last = first + 1; last < n && key == keys[last]; ++last) {
                    }
                    unique[count] = key;
                    out[count] = simt_detail::fold(values, first + 1, last, op, simt_detail::value_of<Values>(values[first]));
                }
                *runs = count;
            });
    }
};

CUB_NAMESPACE_END
