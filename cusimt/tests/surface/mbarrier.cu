// Barrier objects by inline PTX, as kernels for Hopper write them: addresses of 32 bits, tokens and parity, loops with labels.
#include <cuda_awbarrier_primitives.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ uint32_t shared_address(const void* pointer) { return static_cast<uint32_t>(__cvta_generic_to_shared(pointer)); }
__device__ void init(uint64_t* barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ void wait_parity(uint64_t* barrier, uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred P1;\n"
        "LAB_WAIT:\n"
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%0], %1;\n"
        "@P1 bra DONE;\n"
        "bra.uni LAB_WAIT;\n"
        "DONE:\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}

// Two buffers go back and forth between a producer warp and a consumer warp: 'full' and 'empty', told apart by parity.
__global__ void ring_kernel(const int* in, int* out, int rounds) {
    __shared__ int buffer[2][32];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; ++i) init(&full[i], 32), init(&empty[i], 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int at = round % 2;
        const uint32_t parity = round / 2 & 1;
        if (threadIdx.x < 32) {
            wait_parity(&empty[at], parity ^ 1);  // passes at once in the first two rounds
            buffer[at][lane] = in[round * 32 + lane];
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(&full[at])) : "memory");
        } else {
            wait_parity(&full[at], parity);
            out[round * 32 + lane] = buffer[at][31 - lane];
            asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0], 1;" ::"r"(shared_address(&empty[at])) : "memory");
        }
    }
}
extern "C" void ring(const int* in, int* out, int rounds) { ring_kernel<<<1, 64>>>(in, out, rounds); }

// The bytes of a phase count like its arrivals: out[i] says whether the phase had ended after step i.
__global__ void bytes_kernel(int* out) {
    __shared__ alignas(8) uint64_t barrier;
    const uint32_t at = shared_address(&barrier);
    int step = 0;
    auto ended = [&](uint32_t parity) {
        uint32_t yes;
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(yes)
            : "r"(at), "r"(parity)
            : "memory");
        out[step++] = int(yes);
    };
    init(&barrier, 1);
    ended(1);  // the phase before the first
    ended(0);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(48) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(16) : "memory");
    ended(0);  // 64 bytes are lacking
    asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(at), "r"(40) : "memory");
    ended(0);  // 24 are
    asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [%0], %1;" ::"r"(at), "r"(24) : "memory");
    ended(0);
    ended(1);
    asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [%0], 8;" ::"r"(at) : "memory");  // before it is expected
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8;" ::"r"(at) : "memory");
    ended(1);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    init(&barrier, 1);
    ended(0);
}
extern "C" void bytes(int* out) { bytes_kernel<<<1, 1>>>(out); }

// Tokens, generic addresses, arrivals in advance, threads that leave.
__global__ void tokens_kernel(int* out) {
    __shared__ alignas(8) uint64_t barrier;
    __shared__ int order[64];
    const int thread = threadIdx.x;
    if (thread == 0) {
        asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(&barrier), "r"(65) : "memory");
        uint64_t state;
        uint32_t pending;
        asm volatile("mbarrier.arrive.noComplete.release.cta.b64 %0, [%1], 1;" : "=l"(state) : "l"(&barrier) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        out[64] = int(pending);
    }
    __syncthreads();
    order[thread] = thread * 3;
    uint64_t state;
    if (thread >= 32) {
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&barrier)) : "memory");
    } else {
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&barrier)) : "memory");
    }
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2, %3; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&barrier)), "l"(state), "r"(1000)
                     : "memory");
    }
    out[thread] = order[63 - thread];
    if (thread >= 32) return;
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
    if (thread == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
    wait_parity(&barrier, 1);
    if (thread == 0) out[65] = 1;
}
extern "C" void tokens(int* out) { tokens_kernel<<<1, 64>>>(out); }

// cp.async arrives: as one of the arrivals, or beside them.
__global__ void copies_kernel(const int* in, int* out, int counted) {
    __shared__ alignas(16) int tile[64];
    __shared__ alignas(8) uint64_t barrier;
    const uint32_t at = shared_address(&barrier), to = shared_address(&tile[threadIdx.x]);
    if (threadIdx.x == 0) init(&barrier, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    if (counted) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    } else {
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
    }
    wait_parity(&barrier, 0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" void copies(const int* in, int* out, int counted) { copies_kernel<<<1, 64>>>(in, out, counted); }
