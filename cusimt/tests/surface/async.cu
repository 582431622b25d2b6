// Copies in the background, in every spelling: primitives, cooperative groups, cuda::barrier, cuda::pipeline.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// What a kernel sees of its copies at three points: before the wait, after it, and of those that stay behind.
__global__ void arrival_kernel(const int* in, int* out) {
    __shared__ int tile[4];
    for (int i = 0; i < 4; ++i) tile[i] = -1;
    for (int i = 0; i < 3; ++i) {
        __pipeline_memcpy_async(&tile[i], &in[i], 4);
        __pipeline_commit();
    }
    __pipeline_memcpy_async(&tile[3], &in[3], 4);
    for (int i = 0; i < 4; ++i) out[i] = tile[i];
    __pipeline_wait_prior(2);
    for (int i = 0; i < 4; ++i) out[4 + i] = tile[i];
    __pipeline_wait_prior(0);
    for (int i = 0; i < 4; ++i) out[8 + i] = tile[i];
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = 0; i < 4; ++i) out[12 + i] = tile[i];
}
extern "C" void arrival(const int* in, int* out) { arrival_kernel<<<1, 1>>>(in, out); }

__global__ void zero_fill_kernel(const char* in, char* out) {
    __shared__ alignas(16) char tile[16];
    for (int i = 0; i < 16; ++i) tile[i] = 100;
    __pipeline_memcpy_async(tile, in, 16, 16 - threadIdx.x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = 0; i < 16; ++i) out[i] = tile[i];
}
extern "C" void zero_fill(const char* in, char* out) { zero_fill_kernel<<<1, 1>>>(in, out); }

// Without the wait the old contents are read, the new ones are lost.
__global__ void no_wait_kernel(const int* in, int* out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 7;
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" void no_wait(const int* in, int* out) { no_wait_kernel<<<1, 32>>>(in, out); }

// The sum of each thread's neighbour's elements: tiles travel, `Stages` at a time.
template <int Stages>
__global__ void staged_sum_kernel(const float* in, float* out, int tiles) {
    __shared__ float buffer[Stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, Stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    int fetched = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        for (; fetched < tiles && fetched < tile + Stages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetched % Stages], in + fetched * 64, cuda::aligned_size_t<16>(64 * sizeof(float)), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += buffer[tile % Stages][63 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
extern "C" void staged_sum(const float* in, float* out, int tiles, int stages) {
    if (stages == 1) staged_sum_kernel<1><<<1, 64>>>(in, out, tiles);
    else if (stages == 2) staged_sum_kernel<2><<<1, 64>>>(in, out, tiles);
    else staged_sum_kernel<4><<<1, 64>>>(in, out, tiles);
}

// One warp fetches, the other three compute.
__global__ void specialised_kernel(const float* in, float* out, int tiles) {
    __shared__ float buffer[2][96];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const bool producer = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (producer) {
        for (int tile = 0; tile < tiles; ++tile) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < 96; i += 32) cuda::memcpy_async(&buffer[tile % 2][i], &in[tile * 96 + i], sizeof(float), pipe);
            pipe.producer_commit();
        }
        return;
    }
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        pipe.consumer_wait();
        sum += buffer[tile % 2][threadIdx.x - 32];
        pipe.consumer_release();
    }
    out[threadIdx.x - 32] = sum;
}
extern "C" void specialised(const float* in, float* out, int tiles) { specialised_kernel<<<1, 128>>>(in, out, tiles); }

// A pipeline of each thread, which reads only what it copied itself.
__global__ void own_pipeline_kernel(const double* in, double* out, int n) {
    __shared__ double buffer[2][32];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    double sum = 0;
    for (int i = 0; i <= n; ++i) {
        if (i < n) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[i % 2][threadIdx.x], &in[i * 32 + threadIdx.x], sizeof(double), pipe);
            pipe.producer_commit();
        }
        if (i == 0) continue;
        if (i < n) cuda::pipeline_consumer_wait_prior<1>(pipe);
        else cuda::pipeline_consumer_wait_prior<0>(pipe);
        sum += buffer[(i - 1) % 2][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
extern "C" void own_pipeline(const double* in, double* out, int n) { own_pipeline_kernel<<<1, 32>>>(in, out, n); }

// Copies that arrive with a barrier; threads do other things between arriving and waiting.
__global__ void barrier_kernel(const short* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    __shared__ short tile[100];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&arrived, block.size());
    block.sync();
    for (int round = 0; round < 3; ++round) {
        cuda::memcpy_async(block, tile, in + round * 100, sizeof(short) * 100, arrived);
        auto token = arrived.arrive();
        int own = threadIdx.x * 1000000;
        arrived.wait(std::move(token));
        out[round * 64 + threadIdx.x] = own + tile[99 - threadIdx.x];
        arrived.arrive_and_wait();
    }
}
extern "C" void barrier(const short* in, int* out) { barrier_kernel<<<1, 64>>>(in, out); }

// Threads leave one after another; those that stay are fewer in the next phase.
__global__ void leaving_kernel(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> gate;
    __shared__ int turns;
    if (threadIdx.x == 0) {
        init(&gate, blockDim.x);
        turns = 0;
    }
    __syncthreads();
    for (unsigned round = 0; round < threadIdx.x; ++round) gate.arrive_and_wait();
    out[threadIdx.x] = atomicAdd(&turns, 1);
    gate.arrive_and_drop();
}
extern "C" void leaving(int* out) { leaving_kernel<<<1, 40>>>(out); }

__global__ void primitive_barrier_kernel(const int* in, int* out) {
    __shared__ __mbarrier_t gate;
    __shared__ int tile[32];
    if (threadIdx.x == 0) __mbarrier_init(&gate, 32);
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_arrive_on(&gate);
    __mbarrier_token_t token = __mbarrier_arrive(&gate);
    out[32 + threadIdx.x] = __mbarrier_token_pending_count(token);
    while (!__mbarrier_test_wait(&gate, token)) {}
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" void primitive_barrier(const int* in, int* out) { primitive_barrier_kernel<<<1, 32>>>(in, out); }

// Cooperative groups: a tile for each half of the block, two batches at a time; then elements, the smaller of two numbers.
__global__ void group_copies_kernel(const int* in, int* out) {
    __shared__ int tile[2][2][32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int w = warp.meta_group_rank();
    cg::memcpy_async(warp, tile[0][w], in + w * 32, sizeof(int) * 32);
    cg::memcpy_async(warp, tile[1][w], in + 64 + w * 32, cuda::aligned_size_t<16>(128));
    cg::wait_prior<1>(warp);
    out[threadIdx.x] = tile[0][w][31 - warp.thread_rank()];
    cg::wait(warp);
    out[64 + threadIdx.x] = tile[1][w][31 - warp.thread_rank()];
    block.sync();
    cg::memcpy_async(block, &tile[0][0][0], 40, in + 64, 50);
    cg::wait(block);
    out[128 + threadIdx.x] = (&tile[0][0][0])[threadIdx.x];
}
extern "C" void group_copies(const int* in, int* out) { group_copies_kernel<<<1, 64>>>(in, out); }
