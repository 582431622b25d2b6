// Intrinsics, one thread per element.
#include <cuda_runtime.h>
#include <type_traits>

// CUDA's overloads of min, max and abs, by their result types.
static_assert(std::is_same<decltype(min(1, 2)), int>::value, "");
static_assert(std::is_same<decltype(min(1, 2u)), unsigned>::value, "");
static_assert(std::is_same<decltype(max(1LL, 2LL)), long long>::value, "");
static_assert(std::is_same<decltype(max(1L, 2UL)), unsigned long>::value, "");
static_assert(std::is_same<decltype(min(1.0f, 2.0f)), float>::value, "");
static_assert(std::is_same<decltype(max(1.0f, 2.0)), double>::value, "");
static_assert(std::is_same<decltype(abs(1.0f)), float>::value, "");
static_assert(std::is_same<decltype(rsqrt(1.0)), double>::value, "");

#define UNARY(NAME, IN, OUT, EXPRESSION)                                      \
    __global__ void NAME##_kernel(const IN* in, OUT* out, int n) {            \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                        \
        if (i < n) {                                                          \
            IN x = in[i];                                                     \
            out[i] = EXPRESSION;                                              \
        }                                                                     \
    }                                                                         \
    extern "C" void NAME(const IN* in, OUT* out, int n) { NAME##_kernel<<<(n + 127) / 128, 128>>>(in, out, n); }
#define BINARY(NAME, IN, OUT, EXPRESSION)                                     \
    __global__ void NAME##_kernel(const IN* a, const IN* b, OUT* out, int n) { \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                        \
        if (i < n) {                                                          \
            IN x = a[i], y = b[i];                                            \
            out[i] = EXPRESSION;                                              \
        }                                                                     \
    }                                                                         \
    extern "C" void NAME(const IN* a, const IN* b, OUT* out, int n) { NAME##_kernel<<<(n + 127) / 128, 128>>>(a, b, out, n); }

UNARY(f_rsqrt, float, float, rsqrtf(x))
UNARY(f_exp, float, float, __expf(x))
UNARY(f_log2, float, float, __log2f(x))
UNARY(f_sinpi, float, float, sinpif(x))
UNARY(f_cospi, float, float, cospif(x))
UNARY(f_tanh, float, float, tanhf(x))
UNARY(f_erf, float, float, erff(x))
UNARY(f_normcdf, float, float, normcdff(x))
UNARY(f_saturate, float, float, __saturatef(x))
UNARY(d_sinpi, double, double, sinpi(x))
UNARY(d_rcbrt, double, double, rcbrt(x))

UNARY(to_int_rn, float, int, __float2int_rn(x))
UNARY(to_int_rz, float, int, __float2int_rz(x))
UNARY(to_int_ru, float, int, __float2int_ru(x))
UNARY(to_int_rd, float, int, __float2int_rd(x))
UNARY(to_uint_rz, float, unsigned, __float2uint_rz(x))
UNARY(d_to_long_rz, double, long long, __double2ll_rz(x))
UNARY(int_to_float_rz, int, float, __int2float_rz(x))
UNARY(int_to_float_ru, int, float, __int2float_ru(x))
UNARY(int_to_float_rd, int, float, __int2float_rd(x))
UNARY(double_to_float_rz, double, float, __double2float_rz(x))
UNARY(bits_of, float, unsigned, __float_as_uint(x) + 0 * __float_as_int(x))
UNARY(float_of, unsigned, float, __uint_as_float(x))
UNARY(swapped_words, double, double, __hiloint2double(__double2loint(x), __double2hiint(x)))

#define ROUNDED(NAME, T, OPERATION)              \
    BINARY(NAME##_rn, T, T, OPERATION##_rn(x, y)) \
    BINARY(NAME##_rz, T, T, OPERATION##_rz(x, y)) \
    BINARY(NAME##_ru, T, T, OPERATION##_ru(x, y)) \
    BINARY(NAME##_rd, T, T, OPERATION##_rd(x, y))
ROUNDED(f_add, float, __fadd)
ROUNDED(f_sub, float, __fsub)
ROUNDED(f_mul, float, __fmul)
ROUNDED(f_div, float, __fdiv)
ROUNDED(d_add, double, __dadd)
ROUNDED(d_mul, double, __dmul)
BINARY(f_fused_rn, float, float, __fmaf_rn(x, y, x))
BINARY(f_fused_rz, float, float, __fmaf_rz(x, y, x))
BINARY(f_fused_ru, float, float, __fmaf_ru(x, y, x))
BINARY(f_fused_rd, float, float, __fmaf_rd(x, y, x))
UNARY(f_rcp_ru, float, float, __frcp_ru(x))
UNARY(f_sqrt_rd, float, float, __fsqrt_rd(x))
BINARY(f_min, float, float, min(x, y))
BINARY(f_max, float, float, max(x, y))

UNARY(count_ones, unsigned, int, __popc(x))
UNARY(leading, unsigned, int, __clz(x))
UNARY(first_set, unsigned, int, __ffs(x))
UNARY(brev, unsigned, unsigned, __brev(x))
UNARY(count_ones_ll, unsigned long long, int, __popcll(x))
UNARY(leading_ll, unsigned long long, int, __clzll(x))
UNARY(first_set_ll, unsigned long long, int, __ffsll(x))
UNARY(brevll, unsigned long long, unsigned long long, __brevll(x))
BINARY(umulhi, unsigned, unsigned, __umulhi(x, y))
BINARY(mulhi, int, int, __mulhi(x, y))
BINARY(umul64hi, unsigned long long, unsigned long long, __umul64hi(x, y))
BINARY(mul64hi, long long, long long, __mul64hi(x, y))
BINARY(mul24, int, int, __mul24(x, y))
BINARY(umul24, unsigned, unsigned, __umul24(x, y))
BINARY(hadd, int, int, __hadd(x, y))
BINARY(rhadd, int, int, __rhadd(x, y))
BINARY(sad, int, unsigned, __sad(x, y, 5))
BINARY(funnel_l, unsigned, unsigned, __funnelshift_l(x, y, y))
BINARY(funnel_r, unsigned, unsigned, __funnelshift_r(x, y, x))
BINARY(funnel_lc, unsigned, unsigned, __funnelshift_lc(x, y, y % 40))
BINARY(funnel_rc, unsigned, unsigned, __funnelshift_rc(x, y, y % 40))
BINARY(byte_perm, unsigned, unsigned, __byte_perm(x, y, x ^ y))
BINARY(dp4a, int, int, __dp4a(x, y, 7))
BINARY(dp4a_unsigned, unsigned, unsigned, __dp4a(x, y, 7u))
UNARY(d_erfinv, double, double, erfinv(x))
UNARY(d_erfcinv, double, double, erfcinv(x))
UNARY(d_normcdfinv, double, double, normcdfinv(x))
UNARY(f_erfinv, float, float, erfinvf(x))
