// Bulk copies in every spelling: inline PTX, cuda::ptx, cuda::device and the older cuda::device::experimental.
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_runtime.h>
#include <stdint.h>

#include <utility>

namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ uint32_t shared_address(const void* pointer) { return static_cast<uint32_t>(__cvta_generic_to_shared(pointer)); }

// Adds 1 to every element, tile by tile: a copy in, a copy out.
enum Spelling { by_asm, by_ptx, by_device, by_experimental };
template <int How>
__global__ void increment_kernel(int* values) {
    __shared__ alignas(128) int tile[256];
    __shared__ barrier bar;
    int* mine = values + blockIdx.x * 256;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    barrier::arrival_token token;
    uint64_t* object = cuda::device::barrier_native_handle(bar);
    if (threadIdx.x == 0) {
        if (How == by_asm) {
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             shared_address(tile)),
                         "l"(mine), "r"(1024), "r"(shared_address(object))
                         : "memory");
            asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
                         : "=l"(token)
                         : "r"(shared_address(object)), "r"(1024)
                         : "memory");
        } else if (How == by_ptx) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, mine, 1024, object);
            token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, object, 1024);
        } else if (How == by_device) {
            cuda::device::memcpy_async_tx(tile, mine, cuda::aligned_size_t<16>(512), bar);
            cuda::device::memcpy_async_tx(tile + 128, mine + 128, cuda::aligned_size_t<16>(512), bar);
            cuda::device::barrier_expect_tx(bar, 512);
            token = cuda::device::barrier_arrive_tx(bar, 1, 512);
        } else {
            cde::cp_async_bulk_global_to_shared(tile, mine, 1024, bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, 1024);
        }
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] += 1;
    if (How == by_asm) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    else if (How == by_ptx) ptx::fence_proxy_async(ptx::space_shared);
    else cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (How == by_asm) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(mine), "r"(shared_address(tile)),
                         "r"(1024)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        } else if (How == by_experimental) {
            cde::cp_async_bulk_shared_to_global(mine, tile, 1024);
            cde::cp_async_bulk_commit_group();
            cde::cp_async_bulk_wait_group_read<0>();
        } else {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, tile, 1024);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
    }
}
extern "C" void increment(int* values, int blocks, int how) {
    if (how == by_asm) increment_kernel<by_asm><<<blocks, 96>>>(values);
    if (how == by_ptx) increment_kernel<by_ptx><<<blocks, 96>>>(values);
    if (how == by_device) increment_kernel<by_device><<<blocks, 96>>>(values);
    if (how == by_experimental) increment_kernel<by_experimental><<<blocks, 96>>>(values);
}

// The sum of rows: four stages on their way, a producer warp of which one lane copies, three consumer warps.
__global__ void pipeline_kernel(const float* in, float* out, int rows) {
    constexpr int stages = 4;
    __shared__ alignas(16) float buffer[stages][96];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; ++i) ptx::mbarrier_init(&full[i], 1), ptx::mbarrier_init(&empty[i], 96);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
#if defined(CCCL_VERSION) && CCCL_VERSION < 3001000  // that of CUDA 13.0 has no elect_sync
        if (threadIdx.x != 0) return;
#else
        if (!ptx::elect_sync(~0u)) return;
#endif
        for (int row = 0; row < rows; ++row) {
            const int at = row % stages;
            while (!ptx::mbarrier_try_wait_parity(&empty[at], (row / stages & 1) ^ 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[at], 96 * 4);
            ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, buffer[at], in + row * 96, 96 * 4, &full[at]);
        }
        return;
    }
    const int i = threadIdx.x - 32;
    float sum = 0;
    for (int row = 0; row < rows; ++row) {
        const int at = row % stages;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &full[at], row / stages & 1)) {}
        sum += buffer[at][95 - i];
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[at]);
    }
    out[i] = sum;
}
extern "C" void pipeline(const float* in, float* out, int rows) { pipeline_kernel<<<1, 128>>>(in, out, rows); }

// What a kernel sees of copies: into shared memory without a wait; out of it before, between and behind the waits.
__global__ void arrival_kernel(const int* in, int* out, int* seen) {
    __shared__ alignas(16) int tile[4], source[8];
    __shared__ uint64_t bar;
    for (int i = 0; i < 4; ++i) tile[i] = -1;
    ptx::mbarrier_init(&bar, 1);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 16, &bar);
    const uint64_t token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
    seen[0] = tile[0];
    while (!ptx::mbarrier_try_wait(&bar, token)) {}
    seen[1] = tile[0];
    for (int i = 0; i < 8; ++i) source[i] = 20 + i;
    ptx::fence_proxy_async();
    for (int group = 0; group < 2; ++group) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + group * 4, source + group * 4, 16);
        ptx::cp_async_bulk_commit_group();
    }
    seen[2] = out[0];
    ptx::cp_async_bulk_wait_group(ptx::n32_t<1>{});  // the first has arrived
    seen[3] = out[0];
    seen[4] = out[4];
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});  // the second has read its source
    source[4] = 0;
    seen[5] = out[4];
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    seen[6] = out[4];
}
extern "C" void arrival(const int* in, int* out, int* seen) { arrival_kernel<<<1, 1>>>(in, out, seen); }
