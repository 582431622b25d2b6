// Small integer arithmetic of CUB.
#pragma once
#include <type_traits>

#include "cub/config.cuh"

CUB_NAMESPACE_BEGIN

template <class N, class D>
SIMT_INLINE constexpr N DivideAndRoundUp(N number, D divisor) {
    return number / divisor + (number % divisor != 0);
}
template <class T>
SIMT_INLINE constexpr T CeilDiv(T number, T divisor) {
    return (number + divisor - 1) / divisor;
}

CUB_NAMESPACE_END
