// Complex numbers in float and double, as functions over float2 and double2.
#pragma once
#include <math.h>

#include "vector_types.h"
#ifdef __cplusplus
#include "simt/qualifiers.h"
#define SIMT_COMPLEX SIMT_INLINE
#else
#define SIMT_COMPLEX static inline
#endif

// A quotient is scaled first, so that squares do not overflow.
#define SIMT_COMPLEX_TYPE(NAME, T, VECTOR, SUFFIX, HYPOT)                                                                  \
    typedef VECTOR NAME;                                                                                                   \
    SIMT_COMPLEX T cuCreal##SUFFIX(NAME z) { return z.x; }                                                                 \
    SIMT_COMPLEX T cuCimag##SUFFIX(NAME z) { return z.y; }                                                                 \
    SIMT_COMPLEX NAME make_##NAME(T real, T imaginary) {                                                                   \
        NAME z;                                                                                                            \
        z.x = real;                                                                                                        \
        z.y = imaginary;                                                                                                   \
        return z;                                                                                                          \
    }                                                                                                                      \
    SIMT_COMPLEX NAME cuConj##SUFFIX(NAME z) { return make_##NAME(z.x, -z.y); }                                            \
    SIMT_COMPLEX NAME cuCadd##SUFFIX(NAME a, NAME b) { return make_##NAME(a.x + b.x, a.y + b.y); }                         \
    SIMT_COMPLEX NAME cuCsub##SUFFIX(NAME a, NAME b) { return make_##NAME(a.x - b.x, a.y - b.y); }                         \
    SIMT_COMPLEX NAME cuCmul##SUFFIX(NAME a, NAME b) { return make_##NAME(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
    SIMT_COMPLEX NAME cuCdiv##SUFFIX(NAME a, NAME b) {                                                                     \
        T scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                                   \
        T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                                          \
        T norm = bx * bx + by * by;                                                                                        \
        return make_##NAME((ax * bx + ay * by) / norm, (ay * bx - ax * by) / norm);                                        \
    }                                                                                                                      \
    SIMT_COMPLEX T cuCabs##SUFFIX(NAME z) { return HYPOT(z.x, z.y); }                                                      \
    SIMT_COMPLEX NAME cuCfma##SUFFIX(NAME a, NAME b, NAME c) { return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c); }

SIMT_COMPLEX_TYPE(cuFloatComplex, float, float2, f, hypotf)
SIMT_COMPLEX_TYPE(cuDoubleComplex, double, double2, , hypot)
#undef SIMT_COMPLEX_TYPE

typedef cuFloatComplex cuComplex;
SIMT_COMPLEX cuComplex make_cuComplex(float real, float imaginary) { return make_cuFloatComplex(real, imaginary); }
SIMT_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
SIMT_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }
#undef SIMT_COMPLEX
