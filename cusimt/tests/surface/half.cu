// Half and bfloat16, element by element: one thread per element.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ELEMENTWISE(NAME, IN, OUT, EXPRESSION)                                                \
    __global__ void NAME##_kernel(const IN* in, OUT* out, int n) {                            \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        if (i < n) {                                                                          \
            IN x = in[i];                                                                     \
            out[i] = EXPRESSION;                                                              \
        }                                                                                     \
    }                                                                                         \
    extern "C" void NAME(const IN* in, OUT* out, int n) { NAME##_kernel<<<(n + 255) / 256, 256>>>(in, out, n); }

#define BINARY(NAME, IN, OUT, EXPRESSION)                                                     \
    __global__ void NAME##_kernel(const IN* a, const IN* b, OUT* out, int n) {                \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        if (i < n) {                                                                          \
            IN x = a[i], y = b[i];                                                            \
            out[i] = EXPRESSION;                                                              \
        }                                                                                     \
    }                                                                                         \
    extern "C" void NAME(const IN* a, const IN* b, OUT* out, int n) { NAME##_kernel<<<(n + 255) / 256, 256>>>(a, b, out, n); }

ELEMENTWISE(half_to_float, __half, float, __half2float(x))
ELEMENTWISE(float_to_half, float, __half, __float2half(x))
ELEMENTWISE(float_to_half_rz, float, __half, __float2half_rz(x))
ELEMENTWISE(float_to_half_ru, float, __half, __float2half_ru(x))
ELEMENTWISE(float_to_half_rd, float, __half, __float2half_rd(x))
ELEMENTWISE(double_to_half, double, __half, __double2half(x))
ELEMENTWISE(bfloat16_to_float, __nv_bfloat16, float, __bfloat162float(x))
ELEMENTWISE(float_to_bfloat16, float, __nv_bfloat16, __float2bfloat16(x))
ELEMENTWISE(double_to_bfloat16, double, __nv_bfloat16, __double2bfloat16(x))
ELEMENTWISE(implicit_half, float, __half, x)
ELEMENTWISE(implicit_bfloat16, float, __nv_bfloat16, x)
ELEMENTWISE(half_to_bfloat16, __half, __nv_bfloat16, __nv_bfloat16(x))
ELEMENTWISE(half_to_int_rn, __half, int, __half2int_rn(x))
ELEMENTWISE(half_to_int_rz, __half, int, __half2int_rz(x))
ELEMENTWISE(half_to_int_ru, __half, int, __half2int_ru(x))
ELEMENTWISE(half_to_int_rd, __half, int, __half2int_rd(x))
ELEMENTWISE(half_to_short, __half, short, __half2short_rz(x))
ELEMENTWISE(half_to_ushort, __half, unsigned short, __half2ushort_rz(x))
ELEMENTWISE(int_to_half, int, __half, __int2half_rn(x))
ELEMENTWISE(int_to_half_rz, int, __half, __int2half_rz(x))
ELEMENTWISE(long_to_bfloat16, long long, __nv_bfloat16, __ll2bfloat16_rn(x))

BINARY(half_add, __half, __half, __hadd(x, y))
BINARY(half_sub, __half, __half, x - y)
BINARY(half_mul, __half, __half, __hmul(x, y))
BINARY(half_div, __half, __half, x / y)
BINARY(half_max, __half, __half, __hmax(x, y))
BINARY(half_min, __half, __half, __hmin(x, y))
BINARY(half_max_nan, __half, __half, __hmax_nan(x, y))
BINARY(half_compare, __half, int, (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5)
BINARY(half_compare_unordered, __half, int,
       __hltu(x, y) | __hleu(x, y) << 1 | __hgtu(x, y) << 2 | __hgeu(x, y) << 3 | __hequ(x, y) << 4 | __hne(x, y) << 5)
BINARY(bfloat16_add, __nv_bfloat16, __nv_bfloat16, x + y)
BINARY(bfloat16_mul, __nv_bfloat16, __nv_bfloat16, x * y)
BINARY(bfloat16_div, __nv_bfloat16, __nv_bfloat16, __hdiv(x, y))
BINARY(half2_add, __half2, __half2, __hadd2(x, y))
BINARY(half2_fused, __half2, __half2, __hfma2(x, y, y))
BINARY(half2_larger, __half2, unsigned int, __hgt2_mask(x, y))
ELEMENTWISE(half_sqrt, __half, __half, hsqrt(x))
ELEMENTWISE(half_exp, __half, __half, hexp(x))
ELEMENTWISE(half2_swap, __half2, __half2, __lowhigh2highlow(x))
ELEMENTWISE(half_negate, __half, __half, -x)
ELEMENTWISE(half_absolute, __half, __half, __habs(x))

template <typename T>
__global__ void fused_kernel(const T* a, const T* b, const T* c, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hfma(a[i], b[i], c[i]);
}
extern "C" void half_fused(const __half* a, const __half* b, const __half* c, __half* out, int n) {
    fused_kernel<<<(n + 255) / 256, 256>>>(a, b, c, out, n);
}
extern "C" void bfloat16_fused(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* c, __nv_bfloat16* out, int n) {
    fused_kernel<<<(n + 255) / 256, 256>>>(a, b, c, out, n);
}

// One warp: sum by shuffles of halves and of pairs, and by atomics.
__global__ void half_sum_kernel(const __half* in, __half* out) {
    __half value = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x == 0) out[0] = value;
    atomicAdd(out + 1, in[threadIdx.x]);
    __half2 pair = __shfl_xor_sync(0xffffffff, __half2half2(in[threadIdx.x]), 1);
    if (threadIdx.x == 0) {
        out[2] = pair.x;
        out[3] = __high2half(pair);
    }
    atomicAdd(reinterpret_cast<__half2*>(out + 4), __halves2half2(in[threadIdx.x], __float2half(1.0f)));
}
extern "C" void half_sum(const __half* in, __half* out) { half_sum_kernel<<<1, 32>>>(in, out); }
