// The product of a warp: one lane computes it for all, from their fragments, while the others wait.
//
// Tensor cores multiply exactly and add several products at a time to the accumulator, cutting off low bits; how many and which
// differs between architectures. Here all products of one operation are summed in double and rounded once, which is as close to
// the exact value as the accumulator's type allows. Results on hardware may differ in the last bits.
#pragma once
#include <math.h>
#include <string.h>

#include "simt/warp_values.h"
#include "simt/wmma/fragment.h"

#pragma GCC visibility push(hidden)
namespace simt {
namespace wmma {

struct operands {  // of one lane
    const void *a, *b, *c;
    void* d;
};

template <class T>
SIMT_HOST inline double exactly(T value) {
    return static_cast<double>(value);
}
SIMT_HOST inline double exactly(__half value) { return value.simt_float(); }
SIMT_HOST inline double exactly(__nv_bfloat16 value) { return value.simt_float(); }

// Of a float that was not rounded by __float_to_tf32 the low bits are ignored.
template <class Element, class T>
SIMT_HOST inline double as_factor(T value) {
    if constexpr (is_same<Element, nvcuda::wmma::precision::tf32>::value) {
        unsigned bits;
        memcpy(&bits, &value, sizeof bits);
        bits &= ~0x1fffu;
        memcpy(&value, &bits, sizeof bits);
    }
    return exactly(value);
}

template <class Result>
SIMT_HOST inline void round_into(Result& result, double sum, bool) {
    result = static_cast<Result>(sum);
}
SIMT_HOST inline void round_into(__half& result, double sum, bool) { result = __half::simt_round(sum); }
SIMT_HOST inline void round_into(int& result, double sum, bool saturate) {
    if (saturate && sum > 2147483647.0) result = 2147483647;
    else if (saturate && sum < -2147483648.0) result = -2147483647 - 1;
    else result = static_cast<int>(static_cast<unsigned>(static_cast<long long>(sum)));
}

// What all lanes hold of one matrix, row by row.
template <class Fragment>
SIMT_HOST void gather(double* matrix, const void* const* lanes) {
    using Shape = typename Fragment::simt_shape;
    for (unsigned lane = 0; lane < 32; ++lane) {
        auto* held = static_cast<const typename Fragment::storage_element_type*>(lanes[lane]);
        for (int element = 0; element < Shape::count; ++element) {
            place at = Shape::of(lane, element);
            matrix[at.row * Shape::columns + at.column] = as_factor<typename Fragment::element_type>(held[element]);
        }
    }
}

template <class Result, class LeftFactor, class RightFactor, class Addend>
SIMT_HOST __attribute__((noinline)) void multiply(const simt_warp_values* all, bool saturate) {
    using Left = typename LeftFactor::simt_shape;
    using Right = typename RightFactor::simt_shape;
    using Sum = typename Result::simt_shape;
    simt_count_multiply_adds(Sum::rows * Sum::columns * Left::columns);
    operands of[32];
    const void *a[32], *b[32], *c[32];
    for (unsigned lane = 0; lane < 32; ++lane) {
        of[lane] = *reinterpret_cast<const operands*>(all->value[lane][0]);  // on the stack of another lane
        a[lane] = of[lane].a, b[lane] = of[lane].b, c[lane] = of[lane].c;
    }
    double left[Left::rows * Left::columns], right[Right::rows * Right::columns], sum[Sum::rows * Sum::columns];
    gather<LeftFactor>(left, a);
    gather<RightFactor>(right, b);
    gather<Addend>(sum, c);
    constexpr int depth = Left::columns;
    for (int row = 0; row < Sum::rows; ++row) {
        for (int column = 0; column < Sum::columns; ++column) {
            double products = is_same<typename LeftFactor::element_type, double>::value ? sum[row * Sum::columns + column] : 0;
            for (int k = 0; k < depth; ++k) {
                if constexpr (is_same<typename LeftFactor::element_type, double>::value)
                    products = fma(left[row * depth + k], right[column * depth + k], products);
                else products += left[row * depth + k] * right[column * depth + k];
            }
            double before = is_same<typename LeftFactor::element_type, double>::value ? 0 : sum[row * Sum::columns + column];
            sum[row * Sum::columns + column] = products + before;
        }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
        auto* result = static_cast<typename Result::storage_element_type*>(of[lane].d);
        for (int element = 0; element < Sum::count; ++element) {
            place at = Sum::of(lane, element);
            round_into(result[element], sum[at.row * Sum::columns + at.column], saturate);
        }
    }
}

}  // namespace wmma
}  // namespace simt
#pragma GCC visibility pop
