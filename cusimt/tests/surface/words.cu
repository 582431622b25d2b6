// Words of several numbers, 8-bit and 4-bit numbers, special functions, and ways of writing CUDA that need no translation.
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define LANES(OP) OP(__vadd4, 0) OP(__vaddss2, 1) OP(__vaddus4, 2) OP(__vsub2, 3) OP(__vsubss4, 4) OP(__vsubus2, 5) \
    OP(__vmaxs4, 6) OP(__vminu2, 7) OP(__vabsdiffs2, 8) OP(__vabsdiffu4, 9) OP(__vavgs4, 10) OP(__vavgu2, 11)       \
    OP(__vhaddu4, 12) OP(__vcmpgts2, 13) OP(__vcmpleu4, 14) OP(__vseteq4, 15) OP(__vsads2, 16) OP(__vsadu4, 17)
__global__ void lanes_kernel(const uint32_t* in, uint32_t* out, int n) {
    uint32_t a = in[threadIdx.x], b = in[n + threadIdx.x];
#define STORE(FUNCTION, ROW) out[ROW * n + threadIdx.x] = FUNCTION(a, b);
    LANES(STORE)
    out[18 * n + threadIdx.x] = __vabsss4(a);
    out[19 * n + threadIdx.x] = __vneg2(a);
    out[20 * n + threadIdx.x] = __dp2a_lo(static_cast<int>(a), static_cast<int>(b), 7);
    out[21 * n + threadIdx.x] = __dp2a_hi(a, b, 7u);
    out[22 * n + threadIdx.x] = __fns(a, b % 32, 3);
    out[23 * n + threadIdx.x] = __dp2a_lo(0x00010001, 0x0101, 0x7fffffff);
    out[24 * n + threadIdx.x] = __dp4a(make_char4(1, 1, 1, 1), make_char4(1, 1, 1, 1), 0x7fffffff);
}
extern "C" void lanes(const uint32_t* in, uint32_t* out, int n) { lanes_kernel<<<1, n>>>(in, out, n); }

// All bytes as numbers; floats to bytes, kept finite and not.
__global__ void decode_kernel(float* e4m3, float* e5m2) {
    int i = threadIdx.x;
    __nv_fp8_e4m3 a;
    a.__x = static_cast<unsigned char>(i);
    e4m3[i] = static_cast<float>(a);
    e5m2[i] = __half2float(__half(__nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(i), __NV_E5M2)));
}
extern "C" void decode(float* e4m3, float* e5m2) { decode_kernel<<<1, 256>>>(e4m3, e5m2); }
__global__ void encode_kernel(const float* in, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __nv_fp8_e4m3(in[i]).__x;
    out[n + i] = __nv_fp8_e5m2(in[i]).__x;
    out[2 * n + i] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3);
    out[3 * n + i] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
    __nv_fp8x4_e4m3 four(make_float4(in[i], 1, -2, in[n - 1 - i]));
    out[4 * n + i] = (four.__x & 0xff) == out[i] && static_cast<float4>(four).z == -2 && (four.__x >> 24) == __nv_fp8_e4m3(in[n - 1 - i]).__x;
}
extern "C" void encode(const float* in, unsigned char* out, int n) { encode_kernel<<<(n + 63) / 64, 64>>>(in, out, n); }

// Numbers of 4 bits: rounded both ways, in pairs and fours, and back; scale factors of 8 bits, rounded both ways.
__global__ void four_bits_kernel(const float* in, unsigned char* codes, float* back, int n) {
    int i = threadIdx.x;
    codes[i] = __nv_fp4_e2m1(in[i]).__x;
    codes[n + i] = __nv_cvt_float_to_fp4(in[i], __NV_E2M1, cudaRoundZero);
    __nv_fp4x4_e2m1 four(make_float4(in[i], -0.5f, in[n - 1 - i], 6));
    __half2_raw pair = __nv_cvt_fp4x2_to_halfraw2(static_cast<__nv_fp4x2_storage_t>(four.__x >> 8), __NV_E2M1);
    codes[2 * n + i] = four.__x & 0xff;
    back[i] = static_cast<float4>(four).x;
    back[n + i] = __half2float(__half(__half2(pair).x));
    codes[3 * n + i] = __nv_fp8_e8m0(in[i]).__x;
    codes[4 * n + i] = __nv_cvt_float_to_e8m0(in[i], __NV_NOSAT, cudaRoundZero);
    back[2 * n + i] = __bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(codes[3 * n + i])));
}
extern "C" void four_bits(const float* in, unsigned char* codes, float* back, int n) {
    four_bits_kernel<<<1, n>>>(in, codes, back, n);
}

__global__ void special_kernel(const double* in, double* out, int n) {
    double x = in[threadIdx.x];
    out[threadIdx.x] = erfcx(x);
    out[n + threadIdx.x] = cyl_bessel_i0(x);
    out[2 * n + threadIdx.x] = cyl_bessel_i1(x);
    double three[3] = {x, 2 * x, 2 * x};
    out[3 * n + threadIdx.x] = norm(3, three);
}
extern "C" void special(const double* in, double* out, int n) { special_kernel<<<1, n>>>(in, out, n); }

// Dynamic shared memory of any type, as CUDA's samples do it: a struct with a specialisation for each name.
template <typename T>
struct SharedMemory {
    __device__ inline operator T*() {
        extern __shared__ int shared_words[];
        return reinterpret_cast<T*>(shared_words);
    }
    __device__ inline operator const T*() const {
        extern __shared__ int shared_words[];
        return reinterpret_cast<T*>(shared_words);
    }
};
template <>
struct SharedMemory<double> {
    __device__ inline operator double*() {
        extern __shared__ double shared_doubles[];
        return shared_doubles;
    }
};
template <typename T>
__global__ void reverse_kernel(const __grid_constant__ int n, T* values) {
    T* shared = SharedMemory<T>();
    __builtin_assume(n > 0);
    shared[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    __nanosleep(100);
    values[threadIdx.x] = shared[n - 1 - threadIdx.x];
}
template <typename T>
__noinline__ void reverse(T* values, int n) {
    reverse_kernel<T><<<1, n, n * sizeof(T)>>>(n, values);
}
extern "C" void reverse_floats(float* values, int n) { reverse(values, n); }
extern "C" void reverse_doubles(double* values, int n) { reverse(values, n); }

// Lambdas of the device, as with --extended-lambda.
template <typename F>
__global__ void apply_kernel(F f, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
extern "C" void lambdas(int* values, int n) {
    constexpr auto square = [](int x) constexpr { return x * x; };
    static_assert(square(3) == 9);
    apply_kernel<<<1, 32>>>([=] __device__(int i) { values[i] = square(i); }, n);
    auto both = [values, n] __host__ __device__(int i) mutable { values[i] += n; };
    apply_kernel<<<1, 32>>>(both, n);
}
