// Mathematical functions of CUDA that the C library lacks, and the fast versions, which are no less exact here.
//
// The C library's own (expf, tanhf, erf, ...) come with <math.h>. CUDA's fast intrinsics trade accuracy for speed on a GPU;
// nothing that depends on their error is portable, so here they are the accurate functions.
#pragma once
#include <math.h>

#include "simt/min_max.h"
#include "simt/qualifiers.h"

SIMT_INLINE float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
SIMT_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
SIMT_INLINE float rsqrt(float x) { return rsqrtf(x); }
SIMT_INLINE float rcbrtf(float x) { return static_cast<float>(1.0 / cbrt(static_cast<double>(x))); }
SIMT_INLINE double rcbrt(double x) { return 1.0 / cbrt(x); }
SIMT_INLINE float rcbrt(float x) { return rcbrtf(x); }
SIMT_INLINE float fdividef(float a, float b) { return a / b; }
SIMT_INLINE double fdivide(double a, double b) { return a / b; }
SIMT_INLINE float fdivide(float a, float b) { return a / b; }

// sin(pi x) and cos(pi x): exact at the zeros, because the argument is reduced before pi comes in.
SIMT_INLINE double sinpi(double x) {
    double r = x - 2.0 * round(x / 2.0);  // in [-1, 1], exact
    if (fabs(r) > 0.5) r = copysign(1.0, r) - r;
    return sin(3.14159265358979323846 * r);
}
SIMT_INLINE double cospi(double x) { return sinpi(0.5 - fabs(x - 2.0 * round(x / 2.0))); }
SIMT_INLINE float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
SIMT_INLINE float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
SIMT_INLINE float sinpi(float x) { return sinpif(x); }
SIMT_INLINE float cospi(float x) { return cospif(x); }
SIMT_INLINE void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
SIMT_INLINE void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }

SIMT_INLINE float rhypotf(float x, float y) { return static_cast<float>(1.0 / hypot(double(x), double(y))); }
SIMT_INLINE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
SIMT_INLINE double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
SIMT_INLINE double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
SIMT_INLINE double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
SIMT_INLINE double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
SIMT_INLINE float norm3df(float a, float b, float c) { return float(norm3d(a, b, c)); }
SIMT_INLINE float rnorm3df(float a, float b, float c) { return float(rnorm3d(a, b, c)); }
SIMT_INLINE float norm4df(float a, float b, float c, float d) { return float(norm4d(a, b, c, d)); }
SIMT_INLINE float rnorm4df(float a, float b, float c, float d) { return float(rnorm4d(a, b, c, d)); }

// Newton's method, from a start good to three digits; the slope of erf is 2/sqrt(pi) exp(-y^2).
SIMT_HOST inline double erfinv(double x) {
    if (!(fabs(x) < 1)) return fabs(x) > 1 ? __builtin_nan("") : x * __builtin_inf();
    double tail = log1p(-x * x), half = 4.3307467508 + tail / 2;
    double y = copysign(sqrt(sqrt(half * half - tail / 0.147) - half), x);
    for (int step = 0; step < 4; ++step) {
        double excess = fabs(y) < 1 ? erf(y) - x : ((1 - fabs(x)) - erfc(fabs(y))) * copysign(1.0, x);
        y -= excess * 0.88622692545275801365 * exp(y * y);
    }
    return y;
}
SIMT_HOST inline double erfcinv(double x) {
    if (x > 0.0625) return erfinv(1 - x);
    if (!(x > 0)) return x == 0 ? __builtin_inf() : __builtin_nan("");
    double y = sqrt(-log(x * sqrt(-log(x) * 3.14159265358979323846)));
    for (int step = 0; step < 6; ++step) y += (erfc(y) - x) * 0.88622692545275801365 * exp(y * y);
    return y;
}
SIMT_INLINE double normcdfinv(double x) { return -1.4142135623730950488 * erfcinv(2 * x); }
SIMT_INLINE float erfinvf(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }
SIMT_INLINE float erfcinvf(float x) { return static_cast<float>(erfcinv(static_cast<double>(x))); }
SIMT_INLINE float normcdfinvf(float x) { return static_cast<float>(normcdfinv(static_cast<double>(x))); }
SIMT_INLINE double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
SIMT_INLINE float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }

SIMT_INLINE float __saturatef(float x) { return x >= 0.0f ? (x > 1.0f ? 1.0f : x) : 0.0f; }  // NaN gives 0
SIMT_INLINE float __expf(float x) { return expf(x); }
SIMT_INLINE float __exp10f(float x) { return static_cast<float>(pow(10.0, static_cast<double>(x))); }
SIMT_INLINE float exp10f(float x) noexcept { return __exp10f(x); }
SIMT_INLINE float __logf(float x) { return logf(x); }
SIMT_INLINE float __log2f(float x) { return log2f(x); }
SIMT_INLINE float __log10f(float x) { return log10f(x); }
SIMT_INLINE float __powf(float x, float y) { return powf(x, y); }
SIMT_INLINE float __sinf(float x) { return sinf(x); }
SIMT_INLINE float __cosf(float x) { return cosf(x); }
SIMT_INLINE float __tanf(float x) { return tanf(x); }
SIMT_INLINE float __tanhf(float x) { return tanhf(x); }
SIMT_INLINE void __sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
SIMT_INLINE float __frsqrt_rn(float x) { return rsqrtf(x); }
