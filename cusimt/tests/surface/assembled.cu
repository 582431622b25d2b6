// Inline PTX that macros put together: hints that depend on the compiler, opcodes that are arguments, functions made by macros.
#include <cuda_runtime.h>
#include <stdint.h>

#if __CUDACC_VER_MAJOR__ >= 11
#define HINT(bytes) ".L2::" #bytes "B"
#else
#define HINT(bytes)
#endif
#ifdef ORDERED
#define LOAD "ld.volatile.global"
#else
#define LOAD "ld.global.nc.L1::no_allocate" HINT(256)
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define BITS 32

#define ARITHMETIC(name, op, type)                                                  \
    __device__ int name(int a, int b) {                                             \
        int result;                                                                 \
        asm(#op "." TEXT(type) " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));     \
        return result;                                                              \
    }
#define BOUNDS(name, type) ARITHMETIC(name##_lower, min, type) ARITHMETIC(name##_upper, max, type)
ARITHMETIC(difference, sub, s32)
BOUNDS(plain, u32)
BOUNDS(with_sign, s32)

__device__ int load(const int* from) {
    int value;
    asm volatile(LOAD ".b" TEXT(BITS) " %0, [%1];" : "=r"(value) : "l"(from));
    return value;
}
__device__ void copy(int4* to, const int4* from, bool wanted) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0;"
                 "  @p cp.async.cg.shared.global" HINT(128) " [%1], [%2], 16; }"
                 "cp.async.commit_group; cp.async.wait_group 0;" ::"r"((int)wanted),
                 "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from));
}

__global__ void assembled_kernel(const int4* in, int* out, int n) {
    __shared__ int4 own[64];
    int i = threadIdx.x;
    own[i].w = 0;
    __syncthreads();
    copy(own + i, in + i, i % 2);
    __syncthreads();
    const int* numbers = reinterpret_cast<const int*>(in);
    int a = load(numbers + i), b = load(numbers + i + n);
    int results[6] = {difference(a, b), plain_lower(a, b),     plain_upper(a, b), with_sign_lower(a, b),
                      with_sign_upper(a, b), own[i].w};
    for (int k = 0; k < 6; k++) out[k * n + i] = results[k];
}
extern "C" void assembled(const int4* in, int* out, int n) { assembled_kernel<<<1, n>>>(in, out, n); }
