// Scans over the items of one thread.
#pragma once
#include "cub/thread/thread_operators.cuh"

CUB_NAMESPACE_BEGIN

// Returns the prefix followed by all items. Without `apply_prefix` the first item has no prefix.
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadScanInclusive(const T* input, T* output, Operator op, T prefix, bool apply_prefix = true) {
    T running = apply_prefix ? static_cast<T>(op(prefix, input[0])) : input[0];
    output[0] = running;
    for (int i = 1; i < Length; ++i) output[i] = running = op(running, input[i]);
    return running;
}
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadScanInclusive(const T (&input)[Length], T (&output)[Length], Operator op, T prefix,
                                  bool apply_prefix = true) {
    return ThreadScanInclusive<Length>(static_cast<const T*>(input), static_cast<T*>(output), op, prefix, apply_prefix);
}
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadScanInclusive(const T (&input)[Length], T (&output)[Length], Operator op) {
    return ThreadScanInclusive<Length>(static_cast<const T*>(input), static_cast<T*>(output), op, input[0], false);
}

// The first output is the prefix; without `apply_prefix` it is left as it is. Input and output may be one array.
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadScanExclusive(const T* input, T* output, Operator op, T prefix, bool apply_prefix = true) {
    T item = input[0];
    T running = apply_prefix ? static_cast<T>(op(prefix, item)) : item;
    if (apply_prefix) output[0] = prefix;
    for (int i = 1; i < Length; ++i) {
        item = input[i];
        output[i] = running;
        running = op(running, item);
    }
    return running;
}
template <int Length, class T, class Operator>
SIMT_INLINE T ThreadScanExclusive(const T (&input)[Length], T (&output)[Length], Operator op, T prefix,
                                  bool apply_prefix = true) {
    return ThreadScanExclusive<Length>(static_cast<const T*>(input), static_cast<T*>(output), op, prefix, apply_prefix);
}

CUB_NAMESPACE_END
