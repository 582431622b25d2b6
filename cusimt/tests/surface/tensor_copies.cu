// Copies by tensor maps, 1d to 5d, in and out, with swizzles, steps, and boxes that reach outside of the tensor.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_runtime.h>
#include <stdint.h>

#include <cstdio>
#include <utility>

namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;

__device__ uint32_t shared_address(const void* pointer) { return static_cast<uint32_t>(__cvta_generic_to_shared(pointer)); }

// Of a tensor whose dimensions (the first is innermost) are dense but for the rows, which are padded to 16 bytes.
template <class T>
CUtensorMap map_of(CUtensorMapDataType type, T* tensor, int rank, const int* sizes, const int* box, const int* steps, int swizzle,
                   int nan) {
    cuuint64_t dimensions[5], strides[4];
    cuuint32_t boxes[5], element_strides[5];
    for (int d = 0; d < rank; ++d) {
        dimensions[d] = sizes[d], boxes[d] = box[d], element_strides[d] = steps[d];
        if (d == 0) strides[0] = (sizes[0] * sizeof(T) + 15) / 16 * 16;
        else if (d + 1 < rank) strides[d] = strides[d - 1] * sizes[d];
    }
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
    CUtensorMap map{};
    if (found == cudaDriverEntryPointSuccess) {
        auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
        CUresult result = encode(&map, type, rank, tensor, dimensions, strides, boxes, element_strides,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, static_cast<CUtensorMapFloatOOBfill>(nan));
        if (result != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", int(result));
    }
    return map;
}

// Loads a box, and hands out shared memory as it is; then stores it at other coordinates.
template <int Rank>
__device__ void load_box(void* tile, const CUtensorMap* map, const int (&at)[5], uint64_t* object) {
    const uint32_t to = shared_address(tile), bar = shared_address(object);
    if constexpr (Rank == 1) {
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(
                         to),
                     "l"(map), "r"(bar), "r"(at[0])
                     : "memory");
    } else if constexpr (Rank == 2) {
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;" ::
                "r"(to),
            "l"(map), "r"(bar), "r"(at[0]), "r"(at[1]), "l"(0ull)
            : "memory");
    } else if constexpr (Rank == 3) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, {at[0], at[1], at[2]}, object);
    } else if constexpr (Rank == 4) {
        asm volatile(
            "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::
                "r"(to),
            "l"(map), "r"(bar), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
            : "memory");
    } else {
        asm volatile(
            "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], "
            "[%2];" ::"r"(to),
            "l"(map), "r"(bar), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
            : "memory");
    }
}
template <int Rank>
__device__ void store_box(const CUtensorMap* map, const int (&at)[5], const void* tile) {
    const uint32_t from = shared_address(tile);
    if constexpr (Rank == 1) cde::cp_async_bulk_tensor_1d_shared_to_global(map, at[0], tile);
    else if constexpr (Rank == 2)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map), "r"(from),
                     "r"(at[0]), "r"(at[1])
                     : "memory");
    else if constexpr (Rank == 3) ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {at[0], at[1], at[2]}, tile);
    else if constexpr (Rank == 4) cde::cp_async_bulk_tensor_4d_shared_to_global(map, at[0], at[1], at[2], at[3], tile);
    else cde::cp_async_bulk_tensor_5d_shared_to_global(map, at[0], at[1], at[2], at[3], at[4], tile);
}
struct Places {
    int load[5], store[5];
};
template <int Rank>
__global__ void box_kernel(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, const Places places,
                           unsigned char* seen, int bytes) {
    extern __shared__ __align__(1024) unsigned char tile[];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&in) : "memory");
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
        load_box<Rank>(tile, &in, places.load, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) seen[i] = tile[i];
    if (threadIdx.x == 0) {
        store_box<Rank>(&out, places.store, tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}
template <class T>
void run_box(CUtensorMapDataType type, T* in, T* out, unsigned char* seen, const int* facts) {
    const int rank = facts[0], swizzle = facts[1], nan = facts[2], bytes = facts[3];
    const int *sizes = facts + 4, *box = facts + 9, *steps = facts + 14;
    Places places;
    for (int d = 0; d < 5; ++d) places.load[d] = facts[19 + d], places.store[d] = facts[24 + d];
    const CUtensorMap from = map_of(type, in, rank, sizes, box, steps, swizzle, nan);
    const CUtensorMap to = map_of(type, out, rank, sizes, box, steps, swizzle, nan);
    const auto launch = [&](auto* kernel) {
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        (*kernel)<<<1, 64, bytes>>>(from, to, places, seen, bytes);
    };
    if (rank == 1) launch(box_kernel<1>);
    if (rank == 2) launch(box_kernel<2>);
    if (rank == 3) launch(box_kernel<3>);
    if (rank == 4) launch(box_kernel<4>);
    if (rank == 5) launch(box_kernel<5>);
}
// `facts`: host memory; see run_box.
extern "C" void box_of_floats(float* in, float* out, unsigned char* seen, int* facts) {
    int host[29];
    cudaMemcpy(host, facts, sizeof host, cudaMemcpyDeviceToHost);
    run_box(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, out, seen, host);
}
extern "C" void box_of_halves(uint16_t* in, uint16_t* out, unsigned char* seen, int* facts) {
    int host[29];
    cudaMemcpy(host, facts, sizeof host, cudaMemcpyDeviceToHost);
    run_box(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, in, out, seen, host);
}
extern "C" void box_of_bytes(uint8_t* in, uint8_t* out, unsigned char* seen, int* facts) {
    int host[29];
    cudaMemcpy(host, facts, sizeof host, cudaMemcpyDeviceToHost);
    run_box(CU_TENSOR_MAP_DATA_TYPE_UINT8, in, out, seen, host);
}

// Maps in constant and in global memory; a transposition of tiles, with the map's swizzle undone by hand.
__constant__ CUtensorMap constant_map;
__global__ void transpose_kernel(const CUtensorMap* global_map, float* out, int n) {
    __shared__ alignas(1024) float tile[32][32];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x), cde::fence_proxy_async_shared_cta();
    __syncthreads();
    const CUtensorMap* map = global_map ? global_map : &constant_map;
    if (threadIdx.x == 0) cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, map, blockIdx.x * 32, blockIdx.y * 32, bar);
    auto token = threadIdx.x == 0 ? cuda::device::barrier_arrive_tx(bar, 1, sizeof tile) : bar.arrive();
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        const int row = i % 32, column = i / 32, unit = column / 4 ^ row % 8;
        out[(blockIdx.x * 32 + column) * n + blockIdx.y * 32 + row] = tile[row][unit * 4 + column % 4];
    }
}
extern "C" void transpose(float* in, float* out, int n, int in_constant) {
    const int sizes[] = {n, n}, box[] = {32, 32}, steps[] = {1, 1};
    const CUtensorMap map = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, 2, sizes, box, steps, CU_TENSOR_MAP_SWIZZLE_128B, 0);
    CUtensorMap* copy = nullptr;
    cudaMemcpyToSymbol(constant_map, &map, sizeof map);
    cudaMalloc(&copy, sizeof map);
    cudaMemcpy(copy, &map, sizeof map, cudaMemcpyHostToDevice);
    transpose_kernel<<<dim3(n / 32, n / 32), 128>>>(in_constant ? nullptr : copy, out, n);
    cudaDeviceSynchronize();
    cudaFree(copy);
}

// What the driver says of parameters: each result.
extern "C" void results(int* out) {
    alignas(64) static float tensor[64];
    alignas(64) CUtensorMap map;
    int results[12], next = 0;
    auto encode = [&](cuuint64_t width, cuuint64_t stride, cuuint32_t box, cuuint32_t step, int swizzle, int offset = 0,
                      cuuint32_t rank = 2, int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, int fill = 0) {
        const cuuint64_t dimensions[] = {width, 2}, strides[] = {stride};
        const cuuint32_t boxes[] = {box, 2}, steps[] = {1, step};
        results[next++] = cuTensorMapEncodeTiled(
            &map, static_cast<CUtensorMapDataType>(type), rank, reinterpret_cast<char*>(tensor) + offset, dimensions, strides, boxes,
            steps, CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
            static_cast<CUtensorMapFloatOOBfill>(fill));
    };
    encode(32, 128, 32, 1, 3);
    encode(32, 120, 32, 1, 3);      // a stride that is no multiple of 16
    encode(32, 128, 64, 1, 3);      // rows wider than the swizzle
    encode(32, 128, 3, 1, 0);       // rows that are no multiple of 16 bytes
    encode(32, 128, 512, 1, 0);     // more than 256 elements
    encode(32, 128, 32, 9, 3);      // a step of more than 8
    encode(0, 128, 32, 1, 3);       // an empty tensor
    encode(32, 128, 32, 1, 3, 8);   // an address that is no multiple of 16
    encode(32, 128, 32, 1, 3, 0, 6);
    encode(32, 128, 32, 1, 3, 0, 2, CU_TENSOR_MAP_DATA_TYPE_INT32, 1);  // integers have no NaN
    results[next++] = cuTensorMapReplaceAddress(&map, tensor + 16);
    void* nothing = &map;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeNothing", &nothing, cudaEnableDefault, &found);
    results[next++] = nothing == nullptr && found == cudaDriverEntryPointSymbolNotFound;
    cudaMemcpy(out, results, sizeof results, cudaMemcpyHostToDevice);
}
