// Arithmetic, comparisons and mathematical functions of one 16-bit format (macros as in small_float_type.inl, and
// SIMT_OPERATORS, SIMT_OPERATORS2: 1 unless the user switched them off).
//
// Each operation is done in float and rounded once more. For + - * / and the square root that gives the correctly rounded
// result, because a float has more than twice the significant bits.

#define SIMT_BINARY(NAME, NAME2, EXPRESSION)                   \
    SIMT_INLINE SIMT_T NAME(SIMT_T first, SIMT_T second) {     \
        float a = first.simt_float(), b = second.simt_float(); \
        return SIMT_T::simt_round(EXPRESSION);                 \
    }                                                          \
    SIMT_INLINE SIMT_T2 NAME2(SIMT_T2 a, SIMT_T2 b) { return SIMT_T2(NAME(a.x, b.x), NAME(a.y, b.y)); }
SIMT_BINARY(__hadd, __hadd2, a + b)
SIMT_BINARY(__hsub, __hsub2, a - b)
SIMT_BINARY(__hmul, __hmul2, a* b)
SIMT_BINARY(__hdiv, __h2div, a / b)
SIMT_BINARY(__hadd_rn, __hadd2_rn, a + b)
SIMT_BINARY(__hsub_rn, __hsub2_rn, a - b)
SIMT_BINARY(__hmul_rn, __hmul2_rn, a* b)
SIMT_BINARY(__hadd_sat, __hadd2_sat, simt::saturated_unit(a + b))
SIMT_BINARY(__hsub_sat, __hsub2_sat, simt::saturated_unit(a - b))
SIMT_BINARY(__hmul_sat, __hmul2_sat, simt::saturated_unit(a* b))
SIMT_BINARY(__hmax, __hmax2, simt::larger(a, b))
SIMT_BINARY(__hmin, __hmin2, -simt::larger(-a, -b))
SIMT_BINARY(__hmax_nan, __hmax2_nan, __builtin_isunordered(a, b) ? __builtin_nanf("") : simt::larger(a, b))
SIMT_BINARY(__hmin_nan, __hmin2_nan, __builtin_isunordered(a, b) ? __builtin_nanf("") : -simt::larger(-a, -b))
#undef SIMT_BINARY

#define SIMT_FUSED(NAME, NAME2, EXPRESSION)                                       \
    SIMT_INLINE SIMT_T NAME(SIMT_T a, SIMT_T b, SIMT_T c) {                       \
        double sum = simt::fused(a.simt_float(), b.simt_float(), c.simt_float()); \
        return SIMT_T::simt_round(EXPRESSION);                                    \
    }                                                                             \
    SIMT_INLINE SIMT_T2 NAME2(SIMT_T2 a, SIMT_T2 b, SIMT_T2 c) { return SIMT_T2(NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y)); }
SIMT_FUSED(__hfma, __hfma2, sum)
SIMT_FUSED(__hfma_sat, __hfma2_sat, sum >= 0 ? (sum > 1 ? 1 : sum) : 0)
SIMT_FUSED(__hfma_relu, __hfma2_relu, sum < 0 ? 0 : sum)
#undef SIMT_FUSED

// Of complex numbers: a * b + c.
SIMT_INLINE SIMT_T2 __hcmadd(SIMT_T2 a, SIMT_T2 b, SIMT_T2 c) {
    SIMT_T real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);
    return SIMT_T2(__hfma(SIMT_T::simt_round(-a.y.simt_float()), b.y, real), __hfma(a.y, b.x, imaginary));
}
SIMT_INLINE SIMT_T __hneg(SIMT_T a) { return SIMT_T::simt_round(-a.simt_float()); }
SIMT_INLINE SIMT_T __habs(SIMT_T a) { return SIMT_T::simt_round(fabsf(a.simt_float())); }
SIMT_INLINE SIMT_T2 __hneg2(SIMT_T2 a) { return SIMT_T2(__hneg(a.x), __hneg(a.y)); }
SIMT_INLINE SIMT_T2 __habs2(SIMT_T2 a) { return SIMT_T2(__habs(a.x), __habs(a.y)); }
SIMT_INLINE bool __hisnan(SIMT_T a) { return __builtin_isnan(a.simt_float()); }
SIMT_INLINE int __hisinf(SIMT_T a) {
    return __builtin_isinf(a.simt_float()) ? (__builtin_signbit(a.simt_float()) ? -1 : 1) : 0;
}
SIMT_INLINE SIMT_T2 __hisnan2(SIMT_T2 a) {
    return SIMT_T2(SIMT_T::simt_round(__hisnan(a.x)), SIMT_T::simt_round(__hisnan(a.y)));
}

// Ordered comparisons are false, unordered ones (u) true, when an operand is NaN. Of pairs: 1.0 or 0.0 for each, all bits
// set or clear for each (_mask), or true if both hold (__hb).
#define SIMT_COMPARE(NAME, EXPRESSION)                                                                    \
    SIMT_INLINE bool __h##NAME(SIMT_T first, SIMT_T second) {                                             \
        float a = first.simt_float(), b = second.simt_float();                                            \
        return EXPRESSION;                                                                                \
    }                                                                                                     \
    SIMT_INLINE SIMT_T2 __h##NAME##2(SIMT_T2 a, SIMT_T2 b) {                                              \
        return SIMT_T2(SIMT_T::simt_round(__h##NAME(a.x, b.x)), SIMT_T::simt_round(__h##NAME(a.y, b.y))); \
    }                                                                                                     \
    SIMT_INLINE unsigned int __h##NAME##2_mask(SIMT_T2 a, SIMT_T2 b) {                                    \
        return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);           \
    }                                                                                                     \
    SIMT_INLINE bool __hb##NAME##2(SIMT_T2 a, SIMT_T2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }
SIMT_COMPARE(eq, a == b)
SIMT_COMPARE(ne, a<b || a> b)
SIMT_COMPARE(le, a <= b)
SIMT_COMPARE(ge, a >= b)
SIMT_COMPARE(lt, a < b)
SIMT_COMPARE(gt, a > b)
SIMT_COMPARE(equ, !(a < b || a > b))
SIMT_COMPARE(neu, a != b)
SIMT_COMPARE(leu, !(a > b))
SIMT_COMPARE(geu, !(a < b))
SIMT_COMPARE(ltu, !(a >= b))
SIMT_COMPARE(gtu, !(a <= b))
#undef SIMT_COMPARE

#define SIMT_UNARY(NAME, EXPRESSION)           \
    SIMT_INLINE SIMT_T h##NAME(SIMT_T value) { \
        float a = value.simt_float();          \
        return SIMT_T::simt_round(EXPRESSION); \
    }                                          \
    SIMT_INLINE SIMT_T2 h2##NAME(SIMT_T2 a) { return SIMT_T2(h##NAME(a.x), h##NAME(a.y)); }
SIMT_UNARY(sqrt, sqrtf(a))
SIMT_UNARY(rsqrt, 1.0 / sqrt(static_cast<double>(a)))
SIMT_UNARY(rcp, 1.0f / a)
SIMT_UNARY(log, logf(a))
SIMT_UNARY(log2, log2f(a))
SIMT_UNARY(log10, log10f(a))
SIMT_UNARY(exp, expf(a))
SIMT_UNARY(exp2, exp2f(a))
SIMT_UNARY(exp10, pow(10.0, static_cast<double>(a)))
SIMT_UNARY(sin, sinf(a))
SIMT_UNARY(cos, cosf(a))
SIMT_UNARY(tanh, tanhf(a))
SIMT_UNARY(tanh_approx, tanhf(a))
SIMT_UNARY(trunc, truncf(a))
SIMT_UNARY(ceil, ceilf(a))
SIMT_UNARY(floor, floorf(a))
SIMT_UNARY(rint, rintf(a))
#undef SIMT_UNARY

#define SIMT_OPERATOR(TYPE, SIGN, FUNCTION)                                                 \
    SIMT_INLINE TYPE operator SIGN(const TYPE& a, const TYPE& b) { return FUNCTION(a, b); } \
    SIMT_INLINE TYPE& operator SIGN## = (TYPE & a, const TYPE& b) { return a = FUNCTION(a, b); }
#define SIMT_COMPARISON(TYPE, SIGN, FUNCTION) \
    SIMT_INLINE bool operator SIGN(const TYPE& a, const TYPE& b) { return FUNCTION(a, b); }
#define SIMT_STEP(TYPE, SIGN, FUNCTION, ONE)                                        \
    SIMT_INLINE TYPE& operator SIGN##SIGN(TYPE& a) { return a = FUNCTION(a, ONE); } \
    SIMT_INLINE TYPE operator SIGN##SIGN(TYPE& a, int) {                            \
        TYPE before = a;                                                            \
        a = FUNCTION(a, ONE);                                                       \
        return before;                                                              \
    }
#if SIMT_OPERATORS
SIMT_OPERATOR(SIMT_T, +, __hadd)
SIMT_OPERATOR(SIMT_T, -, __hsub)
SIMT_OPERATOR(SIMT_T, *, __hmul)
SIMT_OPERATOR(SIMT_T, /, __hdiv)
SIMT_STEP(SIMT_T, +, __hadd, SIMT_T::simt_round(1))
SIMT_STEP(SIMT_T, -, __hsub, SIMT_T::simt_round(1))
SIMT_INLINE SIMT_T operator+(const SIMT_T& a) { return a; }
SIMT_INLINE SIMT_T operator-(const SIMT_T& a) { return __hneg(a); }
SIMT_COMPARISON(SIMT_T, ==, __heq)
SIMT_COMPARISON(SIMT_T, !=, __hneu)
SIMT_COMPARISON(SIMT_T, <, __hlt)
SIMT_COMPARISON(SIMT_T, <=, __hle)
SIMT_COMPARISON(SIMT_T, >, __hgt)
SIMT_COMPARISON(SIMT_T, >=, __hge)
#endif
#if SIMT_OPERATORS2
SIMT_OPERATOR(SIMT_T2, +, __hadd2)
SIMT_OPERATOR(SIMT_T2, -, __hsub2)
SIMT_OPERATOR(SIMT_T2, *, __hmul2)
SIMT_OPERATOR(SIMT_T2, /, __h2div)
SIMT_STEP(SIMT_T2, +, __hadd2, SIMT_NAMED(__float2, 2_rn)(1))
SIMT_STEP(SIMT_T2, -, __hsub2, SIMT_NAMED(__float2, 2_rn)(1))
SIMT_INLINE SIMT_T2 operator+(const SIMT_T2& a) { return a; }
SIMT_INLINE SIMT_T2 operator-(const SIMT_T2& a) { return __hneg2(a); }
SIMT_COMPARISON(SIMT_T2, ==, __hbeq2)
SIMT_COMPARISON(SIMT_T2, !=, __hbneu2)
SIMT_COMPARISON(SIMT_T2, <, __hblt2)
SIMT_COMPARISON(SIMT_T2, <=, __hble2)
SIMT_COMPARISON(SIMT_T2, >, __hbgt2)
SIMT_COMPARISON(SIMT_T2, >=, __hbge2)
#endif
#undef SIMT_OPERATOR
#undef SIMT_COMPARISON
#undef SIMT_STEP

#ifdef __CUDACC__
SIMT_SHUFFLES_OF(SIMT_T)
SIMT_SHUFFLES_OF(SIMT_T2)
SIMT_INLINE SIMT_T atomicAdd(SIMT_T* address, SIMT_T value) {
    simt_atomic_access(address, sizeof(SIMT_T), 0);
    return simt::replace(address, [value](SIMT_T old) SIMT_HOST { return __hadd(old, value); });
}
SIMT_INLINE SIMT_T2 atomicAdd(SIMT_T2* address, SIMT_T2 value) {  // each half is atomic, the pair is not
    return SIMT_T2(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
#endif
