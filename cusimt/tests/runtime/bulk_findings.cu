// One case per run, as in findings.cu: what can go wrong with barrier objects that expect bytes, and with bulk copies.
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_runtime.h>
#include <stdint.h>

#include <cstdio>
#include <map>
#include <string>

extern "C" const char* simt_take_findings();

float* unwritten;  // by anything

constexpr int N = 64;

__device__ uint32_t shared_address(const void* pointer) { return static_cast<uint32_t>(__cvta_generic_to_shared(pointer)); }
__device__ void init(uint64_t* barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ void wait(uint64_t* barrier, uint32_t parity) {
    asm volatile(  // <- wait
        "{ .reg .pred P1;\n LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n @!P1 bra LAB_WAIT; }"
        ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
__device__ void arrive_expecting(uint64_t* barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"  // <- expect
                 ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

__global__ void bytes(float* c, uint32_t expected, uint32_t brought, int count) {
    __shared__ alignas(8) uint64_t barrier;
    if (threadIdx.x == 0) init(&barrier, count);
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expecting(&barrier, expected);
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(brought));
    }
    wait(&barrier, 0);
    c[threadIdx.x] = 1;
}
__global__ void in_advance(float* c, int count) {
    __shared__ alignas(8) uint64_t barrier;
    init(&barrier, 2);
    uint64_t state;
    asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"  // <- in_advance
                 : "=l"(state) : "r"(shared_address(&barrier)), "r"(count));
    c[0] = float(state);
}

namespace ptx = cuda::ptx;

// ---- into shared memory ----
struct In {
    bool expects = true, waits = true, reads_before = false;
    int bytes = N * 4, source = 0, target = 0;  // first elements
};
__global__ void copy_in(const float* a, float* c, In how) {
    __shared__ alignas(128) float tile[N + 8];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
    if (how.reads_before) tile[threadIdx.x] = 2;
    __syncthreads();
    float sum = how.reads_before ? tile[N - 1 - threadIdx.x] : 0;  // <- read_before
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + how.target, a + how.source, how.bytes, &barrier);  // <- load
        if (how.expects) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, how.bytes);
        else ptx::mbarrier_arrive(&barrier);
    }
    if (how.waits) wait(&barrier, 0);
    c[threadIdx.x] = sum + tile[N - 1 - threadIdx.x];  // <- read
    if (!how.waits || !how.expects) __syncthreads();
}
// Thread 0 alone waits, and a barrier passes on what it saw.
__global__ void passed_on(const float* a, float* c) {
    __shared__ alignas(16) float tile[N];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, a, sizeof tile, &barrier);
        wait(&barrier, 0);
    }
    __syncthreads();
    c[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

// ---- out of shared memory ----
struct Out {
    enum Fence { by_all, by_one, by_warps, none } fence = by_all;
    bool meets = true, fills = true, waits = true, overwrites = false, beside = false;
    int first = 0;
};
__global__ void copy_out(float* c, Out how) {
    __shared__ alignas(16) float tile[N];
    if (how.fills) tile[threadIdx.x] = threadIdx.x;  // <- fill
    if (how.fence == Out::by_all) ptx::fence_proxy_async(ptx::space_shared);
    if (how.fence == Out::by_warps && threadIdx.x >= 32) asm volatile("fence.proxy.async;" ::: "memory");
    if (how.meets) __syncthreads();
    if (how.fence == Out::by_one && threadIdx.x == 0) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + how.first, tile, sizeof tile);  // <- store
        ptx::cp_async_bulk_commit_group();
        if (how.waits && !how.overwrites && !how.beside) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    __syncthreads();
    if (how.beside) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    if (threadIdx.x == 40) tile[threadIdx.x] = threadIdx.x;  // <- overwrite
    if (how.overwrites) {
        __syncthreads();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}
// Each warp has a tile of its own, and needs no barrier of the block.
__global__ void copy_out_by_warps(float* c, bool fences) {
    __shared__ alignas(16) float tile[N];
    tile[threadIdx.x] = threadIdx.x;  // <- fill_of_warp
    if (fences) ptx::fence_proxy_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + threadIdx.x, tile + threadIdx.x, 128);  // <- store_of_warp
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

// ---- by tensor maps ----
CUtensorMap map_of(float* tensor, cuuint64_t width, cuuint64_t height) {
    CUtensorMap map;
    const cuuint64_t sizes[] = {width, height}, strides[] = {64};
    const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, sizes, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}
struct Boxes {
    int x = 0, y = 0, expected = 256, first = 0;
    bool is_map = true, is_matrix = true, is_on_host = false;
};
__global__ void box_in(const __grid_constant__ CUtensorMap map, const CUtensorMap* on_host, float* c, Boxes how) {
    __shared__ alignas(1024) float tile[2 * N];
    __shared__ uint64_t barrier;
    const void* from = how.is_on_host ? static_cast<const void*>(on_host) : how.is_map ? static_cast<const void*>(&map) : c;
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expecting(&barrier, how.expected);
        if (how.is_matrix)
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + how.first, from, {how.x, how.y}, &barrier);  // <- box
        else ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, from, {how.x}, &barrier);  // <- row
    }
    wait(&barrier, 0);
    c[threadIdx.x] = tile[how.first + threadIdx.x];
}
void box(float* a, float* c, Boxes how, int rows = 4) {
    alignas(64) static CUtensorMap map;
    map = map_of(a, 16, rows);
    box_in<<<1, N>>>(map, &map, c, how);
}
// Rows that are one element narrower than the box: the last one is written all the same.
__global__ void box_out(const __grid_constant__ CUtensorMap map, int x, int y) {
    __shared__ alignas(1024) float tile[N];
    tile[threadIdx.x] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {x, y}, tile);  // <- box_out
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

int main(int, char** arguments) {
    float *a, *c;
    cudaMalloc(&a, N * sizeof(float));
    cudaMalloc(&c, N * sizeof(float));
    cudaMemset(a, 0, N * sizeof(float));
    cudaMemset(c, 0, N * sizeof(float));
    cudaMalloc(&unwritten, 2 * N * sizeof(float));
    using Case = void (*)(float*, float*);
    static const std::map<std::string, Case> cases = {
        {"bytes", [](float*, float* c) { bytes<<<1, N>>>(c, 64, 64, 1); }},
        {"bytes_lacking", [](float*, float* c) { bytes<<<1, N>>>(c, 64, 16, 1); }},
        {"bytes_too_many", [](float*, float* c) { bytes<<<1, N>>>(c, 64, 80, 1); }},
        {"arrival_lacking", [](float*, float* c) { bytes<<<2, N>>>(c, 64, 64, 2); }},
        {"bytes_beyond_counting", [](float*, float* c) { bytes<<<1, N>>>(c, 1 << 20, 1 << 20, 1); }},
        {"in_advance", [](float*, float* c) { in_advance<<<1, 1>>>(c, 1); }},
        {"in_advance_of_nothing", [](float*, float* c) { in_advance<<<1, 1>>>(c, 2); }},
        {"in", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {}); }},
        {"in_passed_on", [](float* a, float* c) { passed_on<<<1, N>>>(a, c); }},
        {"in_no_wait", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.waits = false}); }},
        {"in_not_expected", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.expects = false}); }},
        {"in_while_read", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.reads_before = true}); }},
        {"in_from_past", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.source = 4}); }},
        {"in_to_past", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.target = 12}); }},
        {"in_unwritten", [](float*, float* c) { copy_in<<<1, N>>>(unwritten, c, {}); }},
        {"in_misaligned", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.bytes = 16, .source = 1}); }},
        {"in_odd_size", [](float* a, float* c) { copy_in<<<1, N>>>(a, c, {.bytes = 20}); }},
        {"out", [](float*, float* c) { copy_out<<<1, N>>>(c, {}); }},
        {"out_fence_behind_barrier", [](float*, float* c) { copy_out<<<1, N>>>(c, {.fence = Out::by_one}); }},
        {"out_no_fence", [](float*, float* c) { copy_out<<<1, N>>>(c, {.fence = Out::none}); }},
        {"out_fence_of_other_warp", [](float*, float* c) { copy_out<<<1, N>>>(c, {.fence = Out::by_warps}); }},
        {"out_no_barrier", [](float*, float* c) { copy_out<<<1, N>>>(c, {.meets = false}); }},
        {"out_unwritten", [](float*, float* c) { copy_out<<<1, N>>>(c, {.fills = false}); }},
        {"out_overwritten", [](float*, float* c) { copy_out<<<1, N>>>(c, {.overwrites = true}); }},
        {"out_overwritten_beside_wait", [](float*, float* c) { copy_out<<<1, N>>>(c, {.beside = true}); }},
        {"out_no_wait", [](float*, float* c) { copy_out<<<1, N>>>(c, {.waits = false}); }},
        {"out_past", [](float*, float* c) { copy_out<<<1, N>>>(c, {.first = 4}); }},
        {"out_by_warps", [](float*, float* c) { copy_out_by_warps<<<1, N>>>(c, true); }},
        {"out_by_warps_no_fence", [](float*, float* c) { copy_out_by_warps<<<1, N>>>(c, false); }},
        {"box", [](float* a, float* c) { box(a, c, {}); }},
        {"box_over_the_edge", [](float* a, float* c) { box(a, c, {.x = 4, .y = -2}); }},
        {"box_between_units", [](float* a, float* c) { box(a, c, {.x = 5}); }},
        {"box_part_expected", [](float* a, float* c) { box(a, c, {.y = 1, .expected = 192}); }},
        {"box_of_larger_tensor", [](float* a, float* c) { box(a, c, {.y = 1}, 8); }},
        {"box_misaligned", [](float* a, float* c) { box(a, c, {.first = 16}); }},
        {"box_without_map", [](float* a, float* c) { box(a, c, {.is_map = false}); }},
        {"box_with_map_of_host", [](float* a, float* c) { box(a, c, {.is_on_host = true}); }},
        {"box_out", [](float*, float* c) { box_out<<<1, N>>>(map_of(c, 15, 4), 0, 1); }},
        {"box_out_before_the_begin", [](float*, float* c) { box_out<<<1, N>>>(map_of(c, 16, 4), 4, -1); }},
        {"row_of_matrix", [](float* a, float* c) { box(a, c, {.is_matrix = false}); }},
    };
    cases.at(arguments[1])(a, c);
    cudaDeviceSynchronize();
    printf("%s\n%s", cudaGetErrorName(cudaPeekAtLastError()), simt_take_findings());
}
