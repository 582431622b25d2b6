// What PTX's arithmetic instructions compute, for one type each. `.approx` is as exact as the other forms.
#pragma once
#include "simt/integers.h"
#include "simt/math.h"
#include "simt/ptx/registers.h"

namespace simt {
namespace ptx {

// Of f32 with .ftz: what is smaller than any normal number becomes zero.
template <class T>
SIMT_INLINE T flushed(T value) {
    if constexpr (std::is_same_v<T, float>) return fabsf(value) < 1.17549435e-38f ? copysignf(0.0f, value) : value;
    else return value;
}

template <class T>
constexpr bool is_pair = std::is_same_v<T, __half2> || std::is_same_v<T, __nv_bfloat162>;
template <class T>
constexpr bool is_small = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

// Integers wrap around; the 16-bit formats are rounded once.
#define SIMT_PTX_BINARY(NAME, SIGN, SMALL)                                                 \
    template <class T>                                                                     \
    SIMT_INLINE T NAME(T a, T b) {                                                         \
        if constexpr (is_small<T>) return __h##SMALL(a, b);                                \
        else if constexpr (is_pair<T>) return __h##SMALL##2(a, b);                         \
        else if constexpr (std::is_integral_v<T>)                                          \
            return static_cast<T>(static_cast<uint64_t>(a) SIGN static_cast<uint64_t>(b)); \
        else return a SIGN b;                                                              \
    }
SIMT_PTX_BINARY(add, +, add)
SIMT_PTX_BINARY(sub, -, sub)
SIMT_PTX_BINARY(mul, *, mul)
#undef SIMT_PTX_BINARY

#define SIMT_PTX_SELECT(NAME, SIGN, FLOAT, SMALL)                          \
    template <class T>                                                     \
    SIMT_INLINE T NAME(T a, T b) {                                         \
        if constexpr (is_small<T>) return SMALL(a, b);                     \
        else if constexpr (is_pair<T>) return SMALL##2(a, b);              \
        else if constexpr (std::is_integral_v<T>) return a SIGN b ? a : b; \
        else return static_cast<T>(FLOAT(a, b));                           \
    }
SIMT_PTX_SELECT(min, <, ::fmin, __hmin)
SIMT_PTX_SELECT(max, >, ::fmax, __hmax)
#undef SIMT_PTX_SELECT

// What NaN does not give way to.
#define SIMT_PTX_SELECT_NAN(NAME)                                           \
    template <class T>                                                      \
    SIMT_INLINE T NAME##_nan(T a, T b) {                                    \
        if constexpr (is_small<T>) return __h##NAME##_nan(a, b);            \
        else if constexpr (is_pair<T>) return __h##NAME##2_nan(a, b);       \
        else return a != a || b != b ? static_cast<T>(NAN) : NAME<T>(a, b); \
    }
SIMT_PTX_SELECT_NAN(min)
SIMT_PTX_SELECT_NAN(max)
#undef SIMT_PTX_SELECT_NAN

// A function of numbers for each half of a pair.
template <class T, class Function>
SIMT_INLINE T of_each(T value, Function function) {
    if constexpr (is_pair<T>) return T(of_each(value.x, function), of_each(value.y, function));
    else if constexpr (is_small<T>) return T::simt_round(function(value.simt_float()));
    else return static_cast<T>(function(value));
}
template <class T>
SIMT_INLINE T fma(T a, T b, T c) {
    if constexpr (is_small<T>) return __hfma(a, b, c);
    else if constexpr (is_pair<T>) return __hfma2(a, b, c);
    else if constexpr (std::is_same_v<T, float>) return ::fmaf(a, b, c);
    else return ::fma(a, b, c);
}
template <class T>
SIMT_INLINE T mad(T a, T b, T c) {
    return add<T>(mul<T>(a, b), c);
}
template <class T>
SIMT_INLINE T mul_hi(T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    if constexpr (sizeof(T) < 8) return static_cast<T>((static_cast<Wide>(a) * b) >> sizeof(T) * 8);
    else if constexpr (std::is_signed_v<T>) return __mul64hi(a, b);
    else return __umul64hi(a, b);
}
template <class T>
SIMT_INLINE T div(T a, T b) {
    return static_cast<T>(a / b);
}
template <class T>
SIMT_INLINE T rem(T a, T b) {
    return static_cast<T>(a % b);
}
template <class T>
SIMT_INLINE T neg(T a) {
    if constexpr (is_small<T>) return __hneg(a);
    else if constexpr (is_pair<T>) return __hneg2(a);
    else if constexpr (std::is_integral_v<T>) return sub<T>(0, a);
    else return -a;
}
template <class T>
SIMT_INLINE T abs(T a) {
    if constexpr (is_small<T>) return __habs(a);
    else if constexpr (is_pair<T>) return __habs2(a);
    else if constexpr (std::is_integral_v<T>) return a < 0 ? neg<T>(a) : a;
    else return static_cast<T>(::fabs(a));
}

template <class T>
SIMT_INLINE T bit_and(T a, T b) {
    return static_cast<T>(a & b);
}
template <class T>
SIMT_INLINE T bit_or(T a, T b) {
    return static_cast<T>(a | b);
}
template <class T>
SIMT_INLINE T bit_xor(T a, T b) {
    return static_cast<T>(a ^ b);
}
template <class T>
SIMT_INLINE T bit_not(T a) {
    if constexpr (std::is_same_v<T, bool>) return !a;
    else return static_cast<T>(~a);
}
// Distances are clamped to the width.
template <class T>
SIMT_INLINE T shl(T a, uint32_t by) {
    return by >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << by);
}
template <class T>
SIMT_INLINE T shr(T a, uint32_t by) {
    constexpr uint32_t width = sizeof(T) * 8;
    if (by >= width) return a < 0 ? T(-1) : T(0);
    return static_cast<T>(a >> by);
}
template <class T>
SIMT_INLINE T brev(T a) {
    return sizeof(T) == 8 ? static_cast<T>(__brevll(a)) : static_cast<T>(__brev(static_cast<uint32_t>(a)));
}
template <class T>
SIMT_INLINE uint32_t popc(T a) {
    return __builtin_popcountll(a);
}
template <class T>
SIMT_INLINE uint32_t clz(T a) {
    return a ? __builtin_clzll(a) - (64 - sizeof(T) * 8) : sizeof(T) * 8;
}
// `length` bits from `position` on; a signed field is extended by its highest bit, or by the number's beyond that.
template <class T>
SIMT_INLINE T bfe(T a, uint32_t position, uint32_t length) {
    constexpr uint32_t width = sizeof(T) * 8;
    position &= 255, length &= 255;
    T result = 0;
    const uint32_t last = position + length - 1;
    bool sign = std::is_signed_v<T> && length && shr<T>(a, last < width ? last : width - 1) & 1;
    for (uint32_t i = 0; i < width; ++i) {
        bool bit = i < length && position + i < width ? shr<T>(a, position + i) & 1 : sign;
        result = bit_or<T>(result, shl<T>(T(bit), i));
    }
    return result;
}
// The low `length` bits of a, put into b from `position` on.
template <class T>
SIMT_INLINE T bfi(T a, T b, T position, T length) {
    constexpr uint32_t width = sizeof(T) * 8;
    for (uint32_t i = 0, at = position & 255; i < (length & 255) && at < width; ++i, ++at)
        b = bit_or<T>(bit_and<T>(b, bit_not<T>(shl<T>(1, at))), shl<T>(shr<T>(a, i) & 1, at));
    return b;
}
template <class T>
SIMT_INLINE T shf_l_wrap(T low, T high, T by) {
    return __funnelshift_l(low, high, by);
}
template <class T>
SIMT_INLINE T shf_r_wrap(T low, T high, T by) {
    return __funnelshift_r(low, high, by);
}
template <class T>
SIMT_INLINE T shf_l_clamp(T low, T high, T by) {
    return __funnelshift_lc(low, high, by);
}
template <class T>
SIMT_INLINE T shf_r_clamp(T low, T high, T by) {
    return __funnelshift_rc(low, high, by);
}
// Unlike __byte_perm: with its bit 3 a selector takes the sign of the byte, eight times.
template <class T>
SIMT_INLINE T prmt(T a, T b, T selector) {
    uint32_t bytes = __byte_perm(a, b, selector), signs = selector >> 3 & 0x1111;
    for (int i = 0; i < 4; ++i)
        if (signs >> 4 * i & 1) bytes = (bytes & ~(0xffu << 8 * i)) | (bytes >> (8 * i + 7) & 1) * 0xffu << 8 * i;
    return bytes;
}
// Any function of three bits, given by its results for 000 to 111.
template <class T>
SIMT_INLINE T lop3(T a, T b, T c, T table) {
    T result = 0;
    for (int i = 0; i < 8; ++i)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

// Where the highest bit is that differs from the sign; none is all ones.
template <class T>
SIMT_INLINE uint32_t bfind(T a) {
    const uint32_t zeros = clz(static_cast<std::make_unsigned_t<T>>(a < 0 ? ~a : a));
    return sizeof(T) * 8 - 1 - zeros;
}
// How far left it would have to go to be the highest of all.
template <class T>
SIMT_INLINE uint32_t bfind_shiftamt(T a) {
    const uint32_t at = bfind(a);
    return at == ~0u ? at : sizeof(T) * 8 - 1 - at;
}
#define SIMT_PTX_FUNCTION(NAME, EXPRESSION) \
    template <class T>                      \
    SIMT_INLINE T NAME(T a) {               \
        return static_cast<T>(EXPRESSION);  \
    }
SIMT_PTX_FUNCTION(ex2, of_each(a, [](auto each) SIMT_HOST { return ::exp2f(each); }))
SIMT_PTX_FUNCTION(tanh, of_each(a, [](auto each) SIMT_HOST { return ::tanhf(each); }))
SIMT_PTX_FUNCTION(lg2, ::log2f(a))
SIMT_PTX_FUNCTION(sin, ::sinf(a))
SIMT_PTX_FUNCTION(cos, ::cosf(a))
SIMT_PTX_FUNCTION(rsqrt, 1.0 / ::sqrt(static_cast<double>(a)))
SIMT_PTX_FUNCTION(rcp, T(1) / a)
SIMT_PTX_FUNCTION(sqrt, ::sqrt(static_cast<double>(a)))  // rounding twice is exact here
#undef SIMT_PTX_FUNCTION
template <class T>
SIMT_INLINE T copysign(T sign, T value) {  // PTX names the sign first
    return static_cast<T>(::copysign(value, sign));
}

#define SIMT_PTX_COMPARE(NAME, EXPRESSION)      \
    template <class T>                          \
    SIMT_INLINE bool compare_##NAME(T a, T b) { \
        return EXPRESSION;                      \
    }
SIMT_PTX_COMPARE(eq, a == b)
SIMT_PTX_COMPARE(ne, a<b || a> b)
SIMT_PTX_COMPARE(lt, a < b)
SIMT_PTX_COMPARE(le, a <= b)
SIMT_PTX_COMPARE(gt, a > b)
SIMT_PTX_COMPARE(ge, a >= b)
SIMT_PTX_COMPARE(lo, a < b)
SIMT_PTX_COMPARE(ls, a <= b)
SIMT_PTX_COMPARE(hi, a > b)
SIMT_PTX_COMPARE(hs, a >= b)
SIMT_PTX_COMPARE(equ, !(a < b || a > b))  // these are also true where one is NaN
SIMT_PTX_COMPARE(neu, !(a == b))
SIMT_PTX_COMPARE(ltu, !(a >= b))
SIMT_PTX_COMPARE(leu, !(a > b))
SIMT_PTX_COMPARE(gtu, !(a <= b))
SIMT_PTX_COMPARE(geu, !(a < b))
SIMT_PTX_COMPARE(num, a == a && b == b)
SIMT_PTX_COMPARE(nan, !(a == a && b == b))
#undef SIMT_PTX_COMPARE

}  // namespace ptx
}  // namespace simt
