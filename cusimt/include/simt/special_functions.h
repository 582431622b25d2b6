// CUDA's mathematical functions that the host's library does not have under the same name.
#pragma once
#include <math.h>

#include "simt/qualifiers.h"

#pragma GCC visibility push(hidden)
namespace simt {

// exp(x^2) erfc(x). Beyond 5 the product of a huge and a tiny number loses digits; the continued fraction does not.
SIMT_HOST inline double scaled_erfc(double x) {
    if (x < 5) return exp(x * x) * erfc(x);
    double fraction = x;
    for (int k = 60; k > 0; --k) fraction = x + 0.5 * k / fraction;
    return 0.56418958354775628695 / fraction;  // 1 / sqrt(pi)
}

// Scaled by the largest, so that no square overflows.
template <class T>
SIMT_HOST inline T euclidean_norm(int count, const T* values) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum = hypot(sum, static_cast<double>(values[i]));
    return static_cast<T>(sum);
}

// The modified Bessel function of order 0 or 1, by its power series: all terms have one sign.
SIMT_HOST inline double bessel_i(int order, double x) {
    double term = order ? x / 2 : 1, sum = term;
    for (int k = 1; fabs(term) > fabs(sum) * 1e-18; ++k) sum += term *= x / 2 * (x / 2) / (k * (k + order));
    return sum;
}

}  // namespace simt
#pragma GCC visibility pop

SIMT_INLINE double erfcx(double x) { return simt::scaled_erfc(x); }
SIMT_INLINE float erfcxf(float x) { return static_cast<float>(simt::scaled_erfc(x)); }
SIMT_INLINE double norm(int count, const double* values) { return simt::euclidean_norm(count, values); }
SIMT_INLINE float normf(int count, const float* values) { return simt::euclidean_norm(count, values); }
SIMT_INLINE double rnorm(int count, const double* values) { return 1 / simt::euclidean_norm(count, values); }
SIMT_INLINE float rnormf(int count, const float* values) { return 1 / simt::euclidean_norm(count, values); }
SIMT_INLINE double cyl_bessel_i0(double x) { return simt::bessel_i(0, x); }
SIMT_INLINE double cyl_bessel_i1(double x) { return simt::bessel_i(1, x); }
SIMT_INLINE float cyl_bessel_i0f(float x) { return static_cast<float>(simt::bessel_i(0, x)); }
SIMT_INLINE float cyl_bessel_i1f(float x) { return static_cast<float>(simt::bessel_i(1, x)); }
