// Searches in sorted sequences, by one thread.
#pragma once
#include "cub/util_type.cuh"

CUB_NAMESPACE_BEGIN

// The first place whose item is not less than `value`.
template <class Iterator, class Offset, class T>
SIMT_INLINE Offset LowerBound(Iterator items, Offset count, T value) {
    Offset low = 0;
    while (count > 0) {
        Offset half = count / 2;
        if (items[low + half] < value) low += half + 1, count -= half + 1;
        else count = half;
    }
    return low;
}

// The first place whose item is greater than `value`.
template <class Iterator, class Offset, class T>
SIMT_INLINE Offset UpperBound(Iterator items, Offset count, T value) {
    Offset low = 0;
    while (count > 0) {
        Offset half = count / 2;
        if (value < items[low + half]) count = half;
        else low += half + 1, count -= half + 1;
    }
    return low;
}

// Where the merge path of two sorted sequences crosses a diagonal: .x items of `a` and .y of `b` come before it.
template <class A, class B, class Offset, class Coordinate>
SIMT_INLINE void MergePathSearch(Offset diagonal, A a, B b, Offset a_count, Offset b_count, Coordinate& place) {
    Offset low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        Offset middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - middle - 1]) low = middle + 1;
        else high = middle;
    }
    place.x = low < a_count ? low : a_count;
    place.y = diagonal - low;
}

CUB_NAMESPACE_END
