// Arithmetic with a stated rounding: __fadd_rn, __fmaf_rz, __dmul_ru, ... rn nearest even, rz towards zero, ru up, rd down.
#pragma once
#include <math.h>

#include "simt/rounding_mode.h"

#pragma GCC visibility push(hidden)
namespace simt {

// Evaluate with another rounding mode. The operands and the result pass through volatile memory, which keeps the compiler
// from computing the value ahead of the change of mode.
template <class T, class Operation>
SIMT_HOST __attribute__((noinline)) T rounded(int mode, Operation operation, T a, T b, T c) {
    volatile T operands[3] = {a, b, c};
    auto before = change_rounding(mode);
    volatile T result = operation(operands[0], operands[1], operands[2]);
    restore_rounding(before);
    return result;
}

}  // namespace simt
#pragma GCC visibility pop

#define SIMT_ROUNDED_1(NAME, T, EXPRESSION)                      \
    SIMT_INLINE T NAME##_rn(T a) { return EXPRESSION; }          \
    SIMT_ROUNDED_MODE_1(NAME##_rz, T, EXPRESSION, FE_TOWARDZERO) \
    SIMT_ROUNDED_MODE_1(NAME##_ru, T, EXPRESSION, FE_UPWARD)     \
    SIMT_ROUNDED_MODE_1(NAME##_rd, T, EXPRESSION, FE_DOWNWARD)
#define SIMT_ROUNDED_2(NAME, T, EXPRESSION)                      \
    SIMT_INLINE T NAME##_rn(T a, T b) { return EXPRESSION; }     \
    SIMT_ROUNDED_MODE_2(NAME##_rz, T, EXPRESSION, FE_TOWARDZERO) \
    SIMT_ROUNDED_MODE_2(NAME##_ru, T, EXPRESSION, FE_UPWARD)     \
    SIMT_ROUNDED_MODE_2(NAME##_rd, T, EXPRESSION, FE_DOWNWARD)
#define SIMT_ROUNDED_3(NAME, T, EXPRESSION)                       \
    SIMT_INLINE T NAME##_rn(T a, T b, T c) { return EXPRESSION; } \
    SIMT_ROUNDED_MODE_3(NAME##_rz, T, EXPRESSION, FE_TOWARDZERO)  \
    SIMT_ROUNDED_MODE_3(NAME##_ru, T, EXPRESSION, FE_UPWARD)      \
    SIMT_ROUNDED_MODE_3(NAME##_rd, T, EXPRESSION, FE_DOWNWARD)
#define SIMT_ROUNDED_BODY(T, EXPRESSION) [](T a, T b, T c) SIMT_HOST { return (void)a, (void)b, (void)c, EXPRESSION; }
#define SIMT_ROUNDED_MODE_1(NAME, T, EXPRESSION, MODE) \
    SIMT_INLINE T NAME(T a) { return simt::rounded(MODE, SIMT_ROUNDED_BODY(T, EXPRESSION), a, T(1), T(1)); }
#define SIMT_ROUNDED_MODE_2(NAME, T, EXPRESSION, MODE) \
    SIMT_INLINE T NAME(T a, T b) { return simt::rounded(MODE, SIMT_ROUNDED_BODY(T, EXPRESSION), a, b, T(1)); }
#define SIMT_ROUNDED_MODE_3(NAME, T, EXPRESSION, MODE) \
    SIMT_INLINE T NAME(T a, T b, T c) { return simt::rounded(MODE, SIMT_ROUNDED_BODY(T, EXPRESSION), a, b, c); }

SIMT_ROUNDED_2(__fadd, float, a + b)
SIMT_ROUNDED_2(__fsub, float, a - b)
SIMT_ROUNDED_2(__fmul, float, a* b)
SIMT_ROUNDED_2(__fdiv, float, a / b)
SIMT_ROUNDED_1(__frcp, float, 1.0f / a)
SIMT_ROUNDED_1(__fsqrt, float, sqrtf(a))
SIMT_ROUNDED_3(__fmaf, float, fmaf(a, b, c))
SIMT_ROUNDED_2(__dadd, double, a + b)
SIMT_ROUNDED_2(__dsub, double, a - b)
SIMT_ROUNDED_2(__dmul, double, a* b)
SIMT_ROUNDED_2(__ddiv, double, a / b)
SIMT_ROUNDED_1(__drcp, double, 1.0 / a)
SIMT_ROUNDED_1(__dsqrt, double, sqrt(a))
SIMT_ROUNDED_3(__fma, double, fma(a, b, c))

#undef SIMT_ROUNDED_1
#undef SIMT_ROUNDED_2
#undef SIMT_ROUNDED_3
#undef SIMT_ROUNDED_BODY
#undef SIMT_ROUNDED_MODE_1
#undef SIMT_ROUNDED_MODE_2
#undef SIMT_ROUNDED_MODE_3
