// Reductions over the items of one thread, from the first to the last.
#pragma once
#include "cub/thread/thread_operators.cuh"

CUB_NAMESPACE_BEGIN

template <int Length, class T, class Operator>
SIMT_INLINE T ThreadReduce(const T* input, Operator op, T prefix) {
    for (int i = 0; i < Length; ++i) prefix = op(prefix, input[i]);
    return prefix;
}
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadReduce(const T* input, Operator op) {
    T result = input[0];
    for (int i = 1; i < Length; ++i) result = op(result, input[i]);
    return result;
}
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadReduce(const T (&input)[Length], Operator op) {
    return ThreadReduce<Length>(static_cast<const T*>(input), op);
}
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadReduce(const T (&input)[Length], Operator op, T prefix) {
    return ThreadReduce<Length>(static_cast<const T*>(input), op, prefix);
}

namespace internal {
using CUB_NS_QUALIFIER::ThreadReduce;
}  // namespace internal

CUB_NAMESPACE_END
