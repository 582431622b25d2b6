// Conversions with a stated rounding, and the same bits read as another type.
//
// To an integer: rn nearest even, rz towards zero, ru up, rd down; out of range saturates, NaN gives 0 (the lowest value
// for 64-bit results of a double, as the hardware does).
#pragma once
#include <limits.h>
#include <math.h>

#include "simt/qualifiers.h"
#include "simt/rounded.h"

#pragma GCC visibility push(hidden)
namespace simt {

template <class Integer>
SIMT_INLINE Integer saturated(double whole, Integer lowest, Integer highest, Integer of_nan) {
    if (whole != whole) return of_nan;
    if (whole <= static_cast<double>(lowest)) return lowest;
    if (whole >= static_cast<double>(highest)) return highest;
    return static_cast<Integer>(whole);
}

// From one arithmetic type to a narrower floating-point type in another rounding mode.
template <class To, class From>
SIMT_HOST __attribute__((noinline)) To converted(int mode, From value) {
    volatile From operand = value;
    auto before = change_rounding(mode);
    volatile To result = static_cast<To>(operand);
    restore_rounding(before);
    return result;
}

}  // namespace simt
#pragma GCC visibility pop

#define SIMT_TO_INTEGER(FROM, FROM_T, TO, TO_T, LOWEST, HIGHEST, OF_NAN)         \
    SIMT_INLINE TO_T __##FROM##2##TO##_rn(FROM_T x) {                            \
        return simt::saturated<TO_T>(rint(double(x)), LOWEST, HIGHEST, OF_NAN);  \
    }                                                                            \
    SIMT_INLINE TO_T __##FROM##2##TO##_rz(FROM_T x) {                            \
        return simt::saturated<TO_T>(trunc(double(x)), LOWEST, HIGHEST, OF_NAN); \
    }                                                                            \
    SIMT_INLINE TO_T __##FROM##2##TO##_ru(FROM_T x) {                            \
        return simt::saturated<TO_T>(ceil(double(x)), LOWEST, HIGHEST, OF_NAN);  \
    }                                                                            \
    SIMT_INLINE TO_T __##FROM##2##TO##_rd(FROM_T x) { return simt::saturated<TO_T>(floor(double(x)), LOWEST, HIGHEST, OF_NAN); }
SIMT_TO_INTEGER(float, float, int, int, INT_MIN, INT_MAX, 0)
SIMT_TO_INTEGER(float, float, uint, unsigned int, 0u, UINT_MAX, 0u)
SIMT_TO_INTEGER(float, float, ll, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
SIMT_TO_INTEGER(float, float, ull, unsigned long long, 0ull, ULLONG_MAX, 1ull << 63)
SIMT_TO_INTEGER(double, double, int, int, INT_MIN, INT_MAX, 0)
SIMT_TO_INTEGER(double, double, uint, unsigned int, 0u, UINT_MAX, 0u)
SIMT_TO_INTEGER(double, double, ll, long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
SIMT_TO_INTEGER(double, double, ull, unsigned long long, 0ull, ULLONG_MAX, 1ull << 63)
#undef SIMT_TO_INTEGER

#define SIMT_TO_FLOATING(FROM, FROM_T, TO)                                                          \
    SIMT_INLINE TO __##FROM##2##TO##_rn(FROM_T x) { return static_cast<TO>(x); }                    \
    SIMT_INLINE TO __##FROM##2##TO##_rz(FROM_T x) { return simt::converted<TO>(FE_TOWARDZERO, x); } \
    SIMT_INLINE TO __##FROM##2##TO##_ru(FROM_T x) { return simt::converted<TO>(FE_UPWARD, x); }     \
    SIMT_INLINE TO __##FROM##2##TO##_rd(FROM_T x) { return simt::converted<TO>(FE_DOWNWARD, x); }
SIMT_TO_FLOATING(int, int, float)
SIMT_TO_FLOATING(uint, unsigned int, float)
SIMT_TO_FLOATING(ll, long long, float)
SIMT_TO_FLOATING(ull, unsigned long long, float)
SIMT_TO_FLOATING(double, double, float)
SIMT_TO_FLOATING(ll, long long, double)
SIMT_TO_FLOATING(ull, unsigned long long, double)
#undef SIMT_TO_FLOATING
SIMT_INLINE double __int2double_rn(int x) { return x; }
SIMT_INLINE double __uint2double_rn(unsigned int x) { return x; }

#define SIMT_SAME_BITS(NAME, FROM, TO)                \
    SIMT_INLINE TO NAME(FROM value) {                 \
        TO bits;                                      \
        __builtin_memcpy(&bits, &value, sizeof bits); \
        return bits;                                  \
    }
SIMT_SAME_BITS(__float_as_int, float, int)
SIMT_SAME_BITS(__float_as_uint, float, unsigned int)
SIMT_SAME_BITS(__int_as_float, int, float)
SIMT_SAME_BITS(__uint_as_float, unsigned int, float)
SIMT_SAME_BITS(__double_as_longlong, double, long long)
SIMT_SAME_BITS(__longlong_as_double, long long, double)
#undef SIMT_SAME_BITS
SIMT_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
SIMT_INLINE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
SIMT_INLINE double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                                                       static_cast<unsigned>(low)));
}
