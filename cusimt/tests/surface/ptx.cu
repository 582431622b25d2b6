// Inline PTX, as kernels in the wild use it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define CP_ASYNC_CG(to, from, bytes) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(to), "l"(from), "n"(bytes))
#define CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))
#if defined(_WIN64) || defined(__LP64__)
#define POINTER "l"
#else
#define POINTER "r"
#endif
#define NEVER_USED() asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory")

// In a device function that nobody calls, and under a condition that only the compiler knows, nothing is refused.
__device__ __forceinline__ void never_called(uint32_t address) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address)); }
__global__ void guarded() {
#ifdef SOME_OTHER_VENDOR
    asm volatile("v_dot4_i32_i8 v0, v1, v2, v3");
#endif
}

__device__ uint32_t lane_id() {
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// Integers and bits; every thread its own operands.
__global__ void integers_kernel(const uint32_t* in, uint32_t* out, int n) {
    uint32_t a = in[threadIdx.x], b = in[n + threadIdx.x], c = in[2 * n + threadIdx.x], r[19];
    asm("add.u32 %0, %1, %2;" : "=r"(r[0]) : "r"(a), "r"(b));
    asm("mul.hi.s32 %0, %1, %2;" : "=r"(r[1]) : "r"(a), "r"(b));
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r[4]) : "r"(a), "r"(b));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(4), "r"(9));
    asm("bfe.s32 %0, %1, 20, 8;" : "=r"(r[6]) : "r"(a));
    asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(r[7]) : "r"(a), "r"(b));
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r[8]) : "r"(a), "r"(b), "r"(c));
    asm("popc.b32 %0, %1;" : "=r"(r[9]) : "r"(a));
    asm("clz.b32 %0, %1;" : "=r"(r[10]) : "r"(a >> (c & 31)));
    asm("shr.s32 %0, %1, %2;" : "=r"(r[11]) : "r"(a), "r"(c & 63));
    asm("{\n\t"
        ".reg .pred p, q;\n\t"
        "setp.lt.s32 p, %1, %2;  // signed\n\t"
        "setp.lt.u32 q, %1, %2;\n\t"
        "and.pred p, p, q;\n\t"
        "selp.u32 %0, 5, 7, p;\n\t"
        "@!q add.u32 %0, %0, 100;\n\t"
        "}" : "=r"(r[12]) : "r"(a), "r"(b));
    uint64_t wide;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(r[13]), "=r"(r[14]) : "l"(wide));
    r[15] = c;
    asm("xor.b32 %0, %0, %1;" : "+r"(r[15]) : "r"(a));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r[16]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32 %0, %1, 0, 0x8888;" : "=r"(r[17]) : "r"(0x80));
    asm("mov.u32 %0, %%nsmid;" : "=r"(r[18]));
    for (int i = 0; i < 19; ++i) out[i * n + threadIdx.x] = r[i];
}
extern "C" void integers(const uint32_t* in, uint32_t* out, int n) { integers_kernel<<<1, n>>>(in, out, n); }

// The clock of the whole GPU, before and after a wait of some cycles.
__global__ void times_kernel(uint64_t* out, int cycles) {
    uint32_t low, high;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out[0]));
    long long start = clock64();
    while (clock64() - start < cycles) {}
    asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(low));
    out[1] = uint64_t(high) << 32 | low;
}
extern "C" void times(uint64_t* out, int cycles) {
    times_kernel<<<1, 1>>>(out, cycles);
    times_kernel<<<1, 1>>>(out + 2, cycles);
}

// Numbers: packed halves and conversions, as attention kernels spell them.
__global__ void numbers_kernel(const float* in, float* out, int n) {
    float a = in[threadIdx.x], b = in[n + threadIdx.x], r[8];
    union {
        uint32_t pair;
        uint16_t half[2];
    } x, y, z;
    asm volatile("cvt.rn.f16.f32 %0, %1;\n" : "=h"(x.half[0]) : "f"(a));
    asm volatile("cvt.rn.f16.f32 %0, %1;\n" : "=h"(x.half[1]) : "f"(b));
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(y.pair) : "f"(b), "f"(a));
    asm volatile("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(z.pair) : "r"(x.pair), "r"(y.pair), "r"(x.pair));
    asm volatile("cvt.f32.f16 %0, %1;\n" : "=f"(r[0]) : "h"(z.half[0]));
    asm volatile("cvt.f32.f16 %0, %1;\n" : "=f"(r[1]) : "h"(z.half[1]));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r[2]) : "f"(a));
    asm("rcp.approx.f32 %0, %1;" : "=f"(r[3]) : "f"(b));
    asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(r[4]) : "f"(a), "f"(b));
    int whole;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(whole) : "f"(a * 10));
    r[5] = whole;
    asm("max.f32 %0, %1, %2;" : "=f"(r[6]) : "f"(a), "f"(b));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(r[7]) : "r"(whole));
    for (int i = 0; i < 8; ++i) out[i * n + threadIdx.x] = r[i];
}
extern "C" void numbers(const float* in, float* out, int n) { numbers_kernel<<<1, n>>>(in, out, n); }

// Text that a condition chooses: the hint is for those who have it.
__device__ float read_if(const float* from, bool wanted) {
    float value = -1;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0;"
#if __CUDACC_VER_MAJOR__ >= 11 && \
    __CUDACC_VER_MINOR__ >= 0
                 " @p ld.global.nc.L2::128B.f32 %0, [%1]; }"
#else
                 " @p ld.global.nc.f32 %0, [%1]; }"
#endif
                 : "+f"(value) : "l"(from), "r"((int)wanted)); return value;
}
__global__ void conditional_kernel(const float* in, float* out) { out[threadIdx.x] = read_if(in + threadIdx.x, threadIdx.x % 3); }
extern "C" void conditional(const float* in, float* out, int n) { conditional_kernel<<<1, n>>>(in, out); }

// Memory: vectors, cache hints, predicates, atomics; a value handed round the warp.
__global__ void memory_kernel(const float* in, float* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[4] = {0, 0, 0, 0};
    asm volatile("{\n .reg .pred p;\n setp.lt.s32 p, %5, %6;\n @p ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];\n}\n"
                 : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "l"(in + 4 * i), "r"(i), "r"(n));
    float sum = v[0] + v[1] + v[2] + v[3];
    for (int distance = 16; distance > 0; distance /= 2) {
        uint32_t other;
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(__float_as_uint(sum)), "r"(distance));
        sum += __uint_as_float(other);
    }
    if (lane_id() == 0) asm volatile("st.global.cg.f32 [%0+4], %1;" ::"l"(out + i / 32 - 1), "f"(sum) : "memory");
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(count));
    uint32_t ballot;
    asm volatile("{ .reg .pred p; setp.gt.f32 p, %1, 0f00000000; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "f"(v[0]));
    int old;
    asm volatile("atom.global.max.s32 %0, [%1], %2;" : "=r"(old) : "l"(count + 1), "r"(__popc(ballot)));
}
extern "C" void memory(const float* in, float* out, int* count, int n) { memory_kernel<<<2, 64>>>(in, out, count, n); }

// A tile by cp.async, fragments by ldmatrix, products by mma: c = a * b for 16 x 8 x 16 halves.
template <typename T>
__global__ void product_kernel(const half* a, const half* b, float* c) {
    __shared__ alignas(16) half left[16][16];
    __shared__ alignas(16) half right[16][8];
    int lane = lane_id();
    uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(&left[lane / 2][lane % 2 * 8]));
    CP_ASYNC_CG(to, a + lane * 8, 16);
    if (lane < 16) {
        to = static_cast<uint32_t>(__cvta_generic_to_shared(&right[lane][0]));
        CP_ASYNC_CG(to, b + lane * 8, 16);
    }
    CP_ASYNC_COMMIT();
    CP_ASYNC_WAIT(0);
    __syncthreads();
    uint32_t x[4], y[2];
    uint32_t from = static_cast<uint32_t>(__cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from));
    from = static_cast<uint32_t>(__cvta_generic_to_shared(&right[lane % 16][0]));
    // ptxas takes modifiers in any order
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n" : "=r"(y[0]), "=r"(y[1]) : "r"(from));
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    uint32_t h[2] = {0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};\n"
                 : "=r"(h[0]), "=r"(h[1]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(0), "r"(0));
    for (int i = 0; i < 4; ++i) {
        int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        c[row * 8 + column] = d[i];
        half2 pair = *reinterpret_cast<half2*>(&h[i / 2]);
        c[128 + row * 8 + column] = __half2float(i % 2 ? pair.y : pair.x);
    }
}
extern "C" void product(const half* a, const half* b, float* c) { product_kernel<half><<<1, 32>>>(a, b, c); }

// A tile of 16 rows of which only some are filled, by the other warp, and with a barrier or without: a fragment holds all.
__global__ void partly_filled_kernel(float* out, int rows, bool waits) {
    __shared__ alignas(16) half tile[16][16];
    const int lane = lane_id();
    if (threadIdx.x >= 32 && lane < rows)
        for (int i = 0; i < 16; ++i) tile[lane][i] = __float2half(16 * lane + i);
    if (waits) __syncthreads();
    if (threadIdx.x >= 32) return;
    uint32_t part[4], from = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[lane % 16][lane / 16 * 8]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3]) : "r"(from));
    for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + i % 2 * 8, column = i / 2 * 8 + lane % 4 * 2;
        const half2 pair = *reinterpret_cast<half2*>(&part[i]);
        if (row < rows) out[16 * row + column] = __half2float(pair.x), out[16 * row + column + 1] = __half2float(pair.y);
    }
}
extern "C" void partly_filled(float* out, int rows, int waits) { partly_filled_kernel<<<1, 64>>>(out, rows, waits); }

// m16n8k32 of bytes.
__global__ void byte_product_kernel(const int8_t* a, const int8_t* b, int* c) {
    int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    uint32_t x[4], y[2];
    for (int i = 0; i < 4; ++i) x[i] = *reinterpret_cast<const uint32_t*>(a + (group + i % 2 * 8) * 32 + i / 2 * 16 + within * 4);
    for (int i = 0; i < 2; ++i) y[i] = *reinterpret_cast<const uint32_t*>(b + group * 32 + i * 16 + within * 4);
    int d[4] = {1, 1, 1, 1};
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; ++i) c[(group + i / 2 * 8) * 8 + within * 2 + i % 2] = d[i];
}
extern "C" void byte_product(const int8_t* a, const int8_t* b, int* c) { byte_product_kernel<<<1, 32>>>(a, b, c); }

// A matrix of 8 x 8 halves in registers, stored by stmatrix as it is and transposed, and transposed by movmatrix.
__global__ void store_matrix_kernel(const half* in, half* out) {
    __shared__ alignas(16) half tile[8][8];
    const int lane = lane_id();
    uint32_t pair = *reinterpret_cast<const uint32_t*>(in + lane * 2), moved;
    const uint32_t row = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[lane % 8][0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(pair) : "memory");
    __syncwarp();
    for (int i = lane; i < 64; i += 32) out[i] = tile[i / 8][i % 8];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row), "r"(pair) : "memory");
    __syncwarp();
    for (int i = lane; i < 64; i += 32) out[64 + i] = tile[i / 8][i % 8];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(pair));
    *reinterpret_cast<uint32_t*>(out + 128 + lane * 2) = moved;
}
extern "C" void store_matrix(const half* in, half* out) { store_matrix_kernel<<<1, 32>>>(in, out); }

// A prefix sum as CUB writes it, with the predicate of shfl; one elected lane; barriers with numbers between pairs of warps.
__global__ void handing_on_kernel(const int* in, int* out) {
    __shared__ int values[128];
    const int thread = threadIdx.x, warp = thread / 32;
    int sum = in[thread];
    for (int distance = 1; distance < 32; distance *= 2) {
        asm volatile("{  .reg .s32 r0;  .reg .pred p;  shfl.sync.up.b32 r0|p, %1, %2, 0, 0xffffffff;  @p add.s32 r0, r0, %3;  mov.s32 %0, r0;}"
                     : "=r"(sum) : "r"(sum), "r"(distance), "r"(sum));
    }
    out[thread] = sum;
    uint32_t elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(elected));
    out[128 + thread] = elected;
    const int barrier = 1 + warp % 2;   // warps 0 and 2, and warps 1 and 3
    for (int round = 0; round < 3; ++round) {
        if (warp < 2) {
            values[thread] = in[thread] + round;
            asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
            asm volatile("bar.sync %0, %1;" ::"r"(barrier + 2), "n"(64) : "memory");
        } else {
            asm volatile("barrier.sync %0, 64;" ::"r"(barrier) : "memory");
            out[256 + round * 64 + thread - 64] = values[thread - 64];
            asm volatile("bar.sync %0, %1;" ::"r"(barrier + 2), "n"(64) : "memory");
        }
    }
}
extern "C" void handing_on(const int* in, int* out) { handing_on_kernel<<<1, 128>>>(in, out); }

// Results within bounds, packed numbers of 8 bits, products of bytes: what quantised kernels need. Every thread its own operands.
__global__ void bounded_kernel(const float* in, const int* whole, uint32_t* out, int n) {
    const float a = in[threadIdx.x], b = in[n + threadIdx.x];
    const int i = whole[threadIdx.x], j = whole[n + threadIdx.x];
    uint32_t r[18];
    uint16_t h;
    asm volatile("cvt.rni.sat.s8.f32 %0, %1;\n" : "=r"(r[0]) : "f"(a));
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r[1]) : "r"(i >> 20));
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(i >> 20), "r"(j >> 20), "r"(0x12345678));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b));
    r[3] = h;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r[4]) : "h"(h));
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r[5]) : "f"(a), "f"(b));
    asm("fma.rn.f16x2.relu %0, %1, %1, %2;" : "=r"(r[6]) : "r"(r[5]), "r"(0xc400c400));   // minus 4
    asm("{ .reg .b32 x; cvt.rn.f16x2.f32 x, %1, %2; ex2.approx.f16x2 %0, x; }" : "=r"(r[7]) : "f"(a / 64), "f"(b / 64));
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(r[8]) : "r"(i), "r"(j), "r"(7));
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(i), "r"(j), "r"(-7));
    asm("bfind.s32 %0, %1;" : "=r"(r[10]) : "r"(i >> (j & 31)));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r[11]) : "r"(static_cast<uint32_t>(i) >> (j & 31)));
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r[12]) : "r"(i), "r"(j));
    asm("lop3.b32 %0, %1, %2, %3, (0xf0 & 0xcc) | 0xaa;" : "=r"(r[13]) : "r"(i), "r"(j), "r"(0x64006400));
    asm("{ .reg .pred p, q, never;\n\t"
        "setp.ne.s32 never, 0, 0;\n\t"
        "setp.gtu.or.f32 p|q, %1, %2, never;\n\t"
        "selp.u32 %0, 1, 2, p;\n\t"
        "@q add.u32 %0, %0, 10; }" : "=r"(r[14]) : "f"(threadIdx.x ? a : NAN), "f"(b));
    asm("{ .reg .f32 x; max.NaN.f32 x, %1, %2; mov.b32 %0, x; }" : "=r"(r[15]) : "f"(a), "f"(b));
    asm("{ .reg .f32 x; add.sat.f32 x, %1, 0f3F000000; mov.b32 %0, x; }" : "=r"(r[16]) : "f"(a / 256));
    asm("{ .reg .f32 x; copysign.f32 x, %1, %2; mov.b32 %0, x; }" : "=r"(r[17]) : "f"(a), "f"(b));
    for (int k = 0; k < 18; ++k) out[k * n + threadIdx.x] = r[k];
}
extern "C" void bounded(const float* in, const int* whole, uint32_t* out, int n) { bounded_kernel<<<1, n>>>(in, whole, out, n); }

// The words of an opcode in several orders, and how a cache is told what to keep: 16 bytes are copied, whatever the policy.
__global__ void words_kernel(const float4* in, float* sums, long long* least, uint32_t* pairs, float4* copied) {
    __shared__ float4 tile[32];
    const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(tile + threadIdx.x));
    if (threadIdx.x % 2)
        asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0;\n"
                     "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], %2, p; }" ::"r"(to), "l"(in + threadIdx.x), "n"(16));
    else
        asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(in + threadIdx.x), "l"(1ll));
    asm volatile("cp.async.wait_all;" ::: "memory");
    const float4 v = tile[threadIdx.x];
    const uint32_t ones = 0x3f803f80;   // of bfloat16
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(sums), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
    asm volatile("red.add.noftz.global.bf16x2 [%0], %1;" ::"l"(pairs), "r"(ones));
    asm volatile("red.global.min.s64 [%0], %1;" ::"l"(least), "l"(-static_cast<long long>(threadIdx.x)));
    asm volatile("st.global.L1::no_allocate.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;"
                 ::"l"(copied + threadIdx.x), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "l"(1ll));
}
extern "C" void words(const float4* in, float* sums, long long* least, uint32_t* pairs, float4* copied) {
    words_kernel<<<1, 32>>>(in, sums, least, pairs, copied);
}

// Block 0 waits until all others have arrived, and adds up what they wrote. `how`: 0 and 1 arrive by an order that releases,
// 2 by one that does not; 3 hands a value and its flag over in one volatile vector.
__global__ void arriving_kernel(int* data, int* out, int how) {
    unsigned* const arrived = reinterpret_cast<unsigned*>(data + 128);
    const unsigned others = gridDim.x - 1;
    unsigned value = 0, old;
    if (blockIdx.x && how == 3) {
        asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(data + 2 * blockIdx.x), "r"(10 * blockIdx.x), "r"(1));
    } else if (blockIdx.x) {
        data[blockIdx.x] = 10 * blockIdx.x;
        if (how == 0) asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(arrived), "r"(1) : "memory");
        if (how == 1) asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;" : "=r"(old) : POINTER(arrived), "r"(1) : "memory");
        if (how == 2) asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(arrived), "r"(1) : "memory");
    } else if (how == 3) {
        for (unsigned block = 1; block <= others; ++block) {
            unsigned flag = 0;
            while (!flag) asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(flag) : "l"(data + 2 * block));
            *out += value;
        }
    } else {
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(arrived) : "memory");
        while (value != others);
        for (unsigned block = 1; block <= others; ++block) *out += data[block];
    }
}
extern "C" void arriving(int* data, int* out, int how) { arriving_kernel<<<5, 1>>>(data, out, how); }
