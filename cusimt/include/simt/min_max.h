// The overloads of min, max and abs that CUDA puts beside <cmath>'s.
//
// As in CUDA they take equal types, or the signed and unsigned sides of one; min(int, long) stays ambiguous. The mixed
// forms compare as unsigned, and a float with a double as double.
#pragma once
#include <math.h>
#include <stdlib.h>

#include "simt/qualifiers.h"

#define SIMT_MIN_MAX(RESULT, A, B)                                                                                \
    SIMT_INLINE constexpr RESULT min(A a, B b) {                                                                  \
        return static_cast<RESULT>(b) < static_cast<RESULT>(a) ? static_cast<RESULT>(b) : static_cast<RESULT>(a); \
    }                                                                                                             \
    SIMT_INLINE constexpr RESULT max(A a, B b) {                                                                  \
        return static_cast<RESULT>(a) < static_cast<RESULT>(b) ? static_cast<RESULT>(b) : static_cast<RESULT>(a); \
    }
#define SIMT_MIN_MAX_INTEGERS(T)                     \
    SIMT_MIN_MAX(T, T, T)                            \
    SIMT_MIN_MAX(unsigned T, unsigned T, unsigned T) \
    SIMT_MIN_MAX(unsigned T, T, unsigned T)          \
    SIMT_MIN_MAX(unsigned T, unsigned T, T)
SIMT_MIN_MAX_INTEGERS(int)
SIMT_MIN_MAX_INTEGERS(long)
SIMT_MIN_MAX_INTEGERS(long long)
#undef SIMT_MIN_MAX_INTEGERS
#undef SIMT_MIN_MAX

// A NaN loses, as with fmin and fmax.
SIMT_INLINE float min(float a, float b) { return fminf(a, b); }
SIMT_INLINE float max(float a, float b) { return fmaxf(a, b); }
SIMT_INLINE double min(double a, double b) { return fmin(a, b); }
SIMT_INLINE double max(double a, double b) { return fmax(a, b); }
SIMT_INLINE double min(float a, double b) { return fmin(static_cast<double>(a), b); }
SIMT_INLINE double max(float a, double b) { return fmax(static_cast<double>(a), b); }
SIMT_INLINE double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
SIMT_INLINE double max(double a, float b) { return fmax(a, static_cast<double>(b)); }

SIMT_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
SIMT_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
SIMT_INLINE long long llmin(long long a, long long b) { return min(a, b); }
SIMT_INLINE long long llmax(long long a, long long b) { return max(a, b); }
SIMT_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
SIMT_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
