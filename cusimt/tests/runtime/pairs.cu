// For every kind of finding a kernel that makes it and one nearby that must not, and the many ways in which threads come to an
// understanding without a __syncthreads: `pairs ORDER [NAME...]` runs cases under a schedule (0 forward, 1 reversed, 2 random)
// and prints, for each, "# NAME ERROR" and what was found, as JSON lines. Line marks: "// <- NAME".
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <set>
#include <string>
#include <vector>

extern "C" const char* simt_take_findings();
extern "C" void simt_reset();
extern "C" void simt_set_watchdog(double);
extern "C" void simt_set_schedule(int, unsigned long);

namespace cg = cooperative_groups;
constexpr int N = 1000, T = 64;
__constant__ float table[4];
__device__ int total;
__device__ short halves_of_word[2];

// ---- memcheck ------------------------------------------------------------------------------------------------------------

__global__ void fill(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = i;  // <- fill
}
__global__ void fill_tile(float* c, int i) {   // the arrays are as large as the gaps of a simpler layout
    __shared__ float tile[4096], behind[4096];
    for (int k = threadIdx.x; k < 4096; k += T) tile[k] = behind[k] = 1;
    __syncthreads();
    if (threadIdx.x == 0) tile[i] = 2;  // <- fill_tile
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x] + behind[threadIdx.x];
}
__global__ void add_at(char* bytes, int at) { atomicAdd(reinterpret_cast<int*>(bytes + at), 1); }  // <- add_at
__global__ void load_wide(const float* a, float* c, int by) {
    float4 v = *reinterpret_cast<const float4*>(a + by);  // <- load_wide
    c[0] = v.x + v.y + v.z + v.w;
}
__global__ void store(float* c) { c[0] = 1; }  // <- store
__global__ void write_constant() { const_cast<float*>(table)[0] = 1; }  // <- write_constant
__global__ void read_constant(float* c) { c[0] = table[0]; }
__global__ void asserts(int limit) { assert(threadIdx.x < limit); }  // <- asserts
__global__ void divides(int* c, int by) { c[0] = 7 / by; }  // <- divides
__global__ void unreachable(int* c, bool go) {
    if (go) __builtin_trap();  // <- unreachable
    c[0] = 1;
}
__global__ void counts_forever(unsigned* c, unsigned step) {
    unsigned x = 0;
    for (unsigned i = 0; i != 1001; i += step) x = x * 1664525 + 1013904223;  // <- counts_forever
    *c = x;
}

// ---- initcheck -----------------------------------------------------------------------------------------------------------

__global__ void copy(const float* a, float* c) { c[threadIdx.x] = a[threadIdx.x]; }  // <- copy
__global__ void sum_tile(float* c, int filled) {
    __shared__ float tile[T];
    if (threadIdx.x < filled) tile[threadIdx.x] = 1;
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];  // <- sum_tile
}
// Three of four bytes are written.
__global__ void sum_bytes(float* c, int filled) {
    __shared__ alignas(4) unsigned char tile[T];
    if (threadIdx.x % 4 < filled) tile[threadIdx.x] = 1;
    __syncthreads();
    c[threadIdx.x] = *reinterpret_cast<unsigned*>(&tile[threadIdx.x / 4 * 4]);  // <- sum_bytes
}

__global__ void histogram(int* c, bool zeroed) {
    __shared__ int bins[4];
    if (zeroed && threadIdx.x < 4) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 4], 1);  // <- histogram
    __syncthreads();
    if (threadIdx.x < 4) c[threadIdx.x] = bins[threadIdx.x];
}

// ---- racecheck: shared memory --------------------------------------------------------------------------------------------

__global__ void reverse(float* c, bool barrier) {
    __shared__ float tile[T];
    tile[threadIdx.x] = threadIdx.x;
    if (barrier) __syncthreads();
    c[threadIdx.x] = tile[T - 1 - threadIdx.x];  // <- reverse
}
__global__ void rotate(float* c, bool barrier) {
    __shared__ float tile[T];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float next = tile[(threadIdx.x + 1) % T];
    if (barrier) __syncthreads();
    tile[threadIdx.x] = next + 1;  // <- rotate
    c[threadIdx.x] = tile[threadIdx.x];
}
__global__ void all_write(float* c, int different) {
    __shared__ float flag;
    flag = different * threadIdx.x;  // <- all_write
    __syncthreads();
    c[threadIdx.x] = flag;
}
__global__ void shared_bytes(char* c, int each) {
    __shared__ char tile[T];
    tile[threadIdx.x / each] = threadIdx.x;  // <- shared_bytes
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x / each];
}
__global__ void double_buffered(const float* a, float* c, bool barrier) {
    __shared__ float tile[2][T];
    float sum = 0;
    for (int step = 0; step < 6; ++step) {
        tile[step % 2][threadIdx.x] = a[step * T + threadIdx.x];
        if (barrier || step != 3) __syncthreads();   // the other half is free by then: one barrier in a step is enough
        sum += tile[step % 2][T - 1 - threadIdx.x];  // <- double_buffered
    }
    c[threadIdx.x] = sum;
}
// A last step within one warp, as written before lanes could part.
__global__ void warp_reduction(float* c, bool sync) {
    __shared__ volatile float sums[T];
    int lane = threadIdx.x;
    sums[lane] = lane;
    sums[lane + 32] = 0;
    for (int step = 16; step > 0; step /= 2) {
        if (sync) __syncwarp();
        float other = sums[lane + step];  // <- warp_reduction
        if (sync) __syncwarp();
        sums[lane] += other;
    }
    if (lane == 0) c[0] = sums[0];
}
__global__ void shuffled(float* c, bool all) {   // a collective orders what its lanes did
    __shared__ float tile[32];
    int lane = threadIdx.x;
    tile[lane] = lane;
    float sum = all ? __shfl_xor_sync(0xffffffffu, 1.0f, 1) : 0;
    c[lane] = sum + tile[31 - lane];  // <- shuffled
}
__global__ void tiles_of_four(float* c, int distance) {
    __shared__ float values[32];
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    values[threadIdx.x] = threadIdx.x;
    tile.sync();
    c[threadIdx.x] = values[threadIdx.x ^ distance];  // <- tiles_of_four
}
// Warp 0 has something to tell warp 1.
__global__ void tell_warp(float* c, bool fence) {
    __shared__ float value;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 5;
        if (fence) __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (flag == 0) {}
        c[0] = value;  // <- tell_warp
    }
}
__global__ void locked_in_block(int* c, bool fence) {   // one lock for all warps
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        sum += 1;  // <- locked_in_block
        if (fence) __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    c[0] = sum;
}

// ---- races on global memory ------------------------------------------------------------------------------------------------

__global__ void add_up(float* c, bool atomic) {
    if (atomic) atomicAdd(c, 1.0f);
    else c[0] += 1;  // <- add_up
}
__global__ void add_to_variable(bool atomic) {
    if (atomic) atomicAdd(&total, 1);
    else total += 1;  // <- add_to_variable
}
__global__ void set_variables(int each) { halves_of_word[blockIdx.x / each] = blockIdx.x; }  // <- set_variables
// After the shuffles every lane has a sum, and only those of lane 0 and of all lanes of an xor are whole.
__global__ void sum_of_warp(float* c, bool all) {
    float sum = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (all || threadIdx.x == 0) c[0] = sum;  // <- sum_of_warp
}
__global__ void sum_in_every_lane(float* c) {
    float sum = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    c[0] = sum;
}
// One lane after the other; in pairs, a collective of those two orders them.
__global__ void lanes_in_turn(float* c, bool sync) {
    int lane = threadIdx.x;
    __syncwarp();
    for (int turn = 0; turn < 32; ++turn) {
        if (lane == turn) c[0] = turn;  // <- lanes_in_turn
        if (sync) __syncwarp();
    }
}
__global__ void lanes_in_pairs(float* c) {
    int lane = threadIdx.x;
    __syncwarp();
    for (int turn = 0; turn < 32; ++turn) {
        if (lane == turn) c[0] = turn;
        if (lane == turn || lane == turn + 1) __syncwarp(turn == 31 ? 1u << turn : 3u << turn);
    }
}
__global__ void read_neighbour(float* c, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float other = c[(i + distance) % n];
    __syncthreads();
    c[i] = other + 1;  // <- read_neighbour
}
__global__ void set_flag(int* c, int different) { c[0] = 1 + different * blockIdx.x; }  // <- set_flag
template <typename Part>
__global__ void parts(Part* c, int each) {   // of a word: threads of one block, of two blocks
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i / each] = i % each + 1;  // <- parts
}
__global__ void halves(__half* c, const __half* a, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    c[i] = __hadd(a[i], a[i]);
    a = distance ? c : a;
    c[n + i] = a[(i + distance) % n];  // <- halves
}
__global__ void bytes_beside_words(unsigned* c) {   // a word is read while others write its bytes
    if (threadIdx.x < 4) reinterpret_cast<unsigned char*>(c)[threadIdx.x] = 1;
    if (threadIdx.x == 32) c[1] = c[0];  // <- bytes_beside_words
}
__global__ void read_only(const float* a, float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[0] + a[i] + a[i + 1];
}
__global__ void guess(double* sum, float* most, int* distance) {
    auto* bits = reinterpret_cast<unsigned long long*>(sum);   // the guide's atomicAdd for doubles
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (__float_as_int(*most) < i) atomicMax(reinterpret_cast<int*>(most), i);
    if (distance[i % 7] == 0 && atomicCAS(&distance[i % 7], 0, i + 1) == 0) distance[8 + i % 7] = i;
}
__global__ void total_too_early(float* c) {
    atomicAdd(&c[0], 1.0f);
    c[1 + blockIdx.x] = c[0];  // <- total_too_early
}
// The last block adds up what all of them wrote.
__global__ void last_block_adds(float* c, unsigned* arrived, bool fence) {
    __shared__ bool is_last;
    c[1 + blockIdx.x * T + threadIdx.x] = 1;
    if (fence) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!is_last || threadIdx.x) return;
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x * T; ++i) sum += c[1 + i];  // <- last_block_adds
    c[0] = sum;
}
// Decoupled look-back: each block waits for the sum of all before it, whichever block runs first.
__global__ void look_back(float* sums, volatile int* flags, bool fence) {
    if (threadIdx.x) return;
    float before = 0;
    if (blockIdx.x > 0) {
        while (flags[blockIdx.x - 1] == 0) {}
        before = sums[blockIdx.x - 1];  // <- look_back
    }
    sums[blockIdx.x] = before + 1;
    if (fence) __threadfence();
    flags[blockIdx.x] = 1;
}
__global__ void locked(int* c, int* lock, bool fence) {
    if (threadIdx.x % 32) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    if (fence) __threadfence();
    c[0] += 1;  // <- locked
    if (fence) __threadfence();
    atomicExch(lock, 0);
}
__global__ void stop_all(volatile int* stop, int* c) {   // a flag that tells nothing but itself
    for (int i = 0; i < 100 && !*stop; ++i) c[blockIdx.x] = i;
    *stop = 1;
}
__global__ void grid_rounds(float* c, bool sync) {
    auto grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    __shared__ float own[T];
    own[threadIdx.x] = i;
    c[i] = own[threadIdx.x];
    for (int round = 0; round < 3; ++round) {
        if (sync) grid.sync();
        float other = c[(i + T) % n];  // <- grid_rounds
        grid.sync();
        c[i] = other + own[threadIdx.x];
    }
}

__global__ void leader_writes(float* c, bool sync) {   // after the grid's barrier it is the block's that counts
    cg::this_grid().sync();
    if (threadIdx.x == 0) c[blockIdx.x] = 1 + blockIdx.x;
    if (sync) __syncthreads();
    c[gridDim.x + blockIdx.x * T + threadIdx.x] = c[blockIdx.x];  // <- leader_writes
}
__global__ void passes_on(float* c, bool sync) {
    cg::this_grid().sync();
    if (threadIdx.x == 0) c[blockIdx.x] = 1 + blockIdx.x;
    if (sync) cg::this_grid().sync();
    if (threadIdx.x == 1) c[gridDim.x + blockIdx.x] = c[(blockIdx.x + 1) % gridDim.x];  // <- passes_on
}
__global__ void waits_asleep(volatile int* flag) {
    if (threadIdx.x) return;
    if (blockIdx.x) *flag = 1;
    else while (*flag == 0) __nanosleep(100);
}

// ---- synccheck -------------------------------------------------------------------------------------------------------------

__global__ void barrier_in_branches(float* c, int n) {
    if (threadIdx.x < n) {
        c[threadIdx.x] = 1;
        __syncthreads();  // <- barrier_in_branches
    } else {
        c[threadIdx.x] = 2;
        __syncthreads();
    }
}
__global__ void returns_early(float* c, int n) {
    if (blockIdx.x * T + threadIdx.x >= n) return;
    __syncthreads();  // <- returns_early
    c[threadIdx.x] = 1;
}
__global__ void barrier_in_loop(float* c, int rounds, int more) {
    for (int i = 0; i < rounds + more * int(threadIdx.x % 2); ++i) {
        c[threadIdx.x] = i;
        __syncthreads();  // <- barrier_in_loop
    }
}
__global__ void barrier_against_shuffle(float* c, bool wrong) {
    if (wrong && threadIdx.x == 0) __syncthreads();
    c[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 0);  // <- barrier_against_shuffle
}
__global__ void mask_of_others(float* c, unsigned mask) {
    c[threadIdx.x] = __shfl_sync(mask, threadIdx.x, 1);  // <- mask_of_others
}
// The upper half of the warp makes the call, or has left before.
__global__ void lower_half_shuffles(float* c, int lanes) {
    if (threadIdx.x >= lanes) return;
    c[threadIdx.x] = __shfl_down_sync(0xffffffff, threadIdx.x, 16);  // <- lower_half_shuffles
}
__global__ void masks_of_halves(float* c) {
    unsigned mask = threadIdx.x < 16 ? 0x0000ffff : 0xffff0000;
    c[threadIdx.x] = __shfl_sync(mask, threadIdx.x, threadIdx.x & 16);
}
__global__ void arrive_twice(float* c, int again) {
    __shared__ cuda::barrier<cuda::thread_scope_block> gate;
    if (threadIdx.x == 0) init(&gate, T);
    __syncthreads();
    gate.arrive_and_wait();
    if (threadIdx.x == 0 && again) gate.arrive(T + 1);  // <- arrive_twice
    c[threadIdx.x] = 1;
}
__global__ void copy_async(const float* a, float* c, bool wait) {
    __shared__ float tile[T];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(0);
    __syncthreads();
    c[threadIdx.x] = tile[T - 1 - threadIdx.x];  // <- copy_async
    __pipeline_wait_prior(0);
}
__global__ void change_source(float* a, float* c, bool wait) {
    __shared__ float tile[T];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);  // <- change_source
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(0);
    a[threadIdx.x] = 7;
    __pipeline_wait_prior(0);
    c[threadIdx.x] = tile[threadIdx.x];
}

__global__ void read_source(const __half* a, __half* c) {   // nobody writes it: the copy and the reads may meet
    __shared__ __half tile[8 * 32];
    if (threadIdx.x < 32) __pipeline_memcpy_async(&tile[8 * threadIdx.x], &a[8 * threadIdx.x], 16);
    else c[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (threadIdx.x < 32) c[threadIdx.x] = tile[8 * threadIdx.x];
}

// ---- cases -----------------------------------------------------------------------------------------------------------------

namespace {
std::vector<void*> made;

template <typename Element = float>
Element* zeros(int n) {
    Element* p;
    cudaMalloc(&p, n * sizeof(Element));
    cudaMemset(p, 0, n * sizeof(Element));
    made.push_back(p);
    return p;
}
float* unwritten() {
    float* p;
    cudaMalloc(&p, T * sizeof(float));
    made.push_back(p);
    return p;
}
void cooperative(void (*kernel)(float*, bool), bool sync) {
    float* c = zeros(5 * T);
    void* arguments[] = {&c, &sync};
    cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(4), dim3(T), arguments, 0, nullptr);
}
volatile float on_host;

// Two streams that wait for nobody but the legacy default stream, on which `zeros` fills.
struct TwoStreams {
    cudaStream_t one, other;
    TwoStreams() {
        cudaStreamCreate(&one);
        cudaStreamCreate(&other);
    }
    ~TwoStreams() {
        cudaDeviceSynchronize();
        cudaStreamDestroy(one);
        cudaStreamDestroy(other);
    }
    void let_other_wait() const {
        cudaEvent_t done;
        cudaEventCreate(&done);
        cudaEventRecord(done, one);
        cudaStreamWaitEvent(other, done);
        cudaEventDestroy(done);
    }
};
__global__ void twice_as_much(float* c, int first) { c[first + threadIdx.x] *= 2; }
void twice(float* c, int first, cudaStream_t stream) {
    twice_as_much<<<1, T, 0, stream>>>(c, first);  // <- twice_as_much
}
void fill_then_double(bool wait) {
    float* c = zeros(2 * T);
    TwoStreams streams;
    cudaMemsetAsync(c + T, 1, T * sizeof(float), streams.one);
    if (wait) streams.let_other_wait();
    twice(c, T, streams.other);
}
void double_then_copy(bool wait) {
    float *c = zeros(T), *copy = zeros(T);
    TwoStreams streams;
    twice(c, 0, streams.one);
    if (wait) streams.let_other_wait();
    cudaMemcpyAsync(copy, c, T * sizeof(float), cudaMemcpyDeviceToDevice, streams.other);
}
// The copy needs the first kernel's half only: the second one is beside it.
void double_halves_then_copy(bool wait) {
    float *c = zeros(2 * T), *copy = zeros(T);
    TwoStreams streams;
    twice(c, 0, streams.one);
    if (wait) streams.let_other_wait();
    twice(c, T, streams.one);
    cudaMemcpyAsync(copy, c, T * sizeof(float), cudaMemcpyDeviceToDevice, streams.other);
}
void fill_then_double_by_kernels(bool wait) {
    float* c = zeros(T);
    TwoStreams streams;
    fill<<<1, T, 0, streams.one>>>(c, T);
    if (wait) streams.let_other_wait();
    twice(c, 0, streams.other);
}
__global__ void copy_elements(float* to, const float* from) { to[threadIdx.x] = from[threadIdx.x]; }
// Every thread reads its element before it writes it: its own read does not hide the other stream's.
void read_then_double(bool wait) {
    float *c = zeros(T), *copy = zeros(T);
    TwoStreams streams;
    copy_elements<<<1, T, 0, streams.one>>>(copy, c);
    if (wait) streams.let_other_wait();
    twice(c, 0, streams.other);
}
__global__ void fill_every_other(char* c, char value) { c[2 * threadIdx.x] = value; }
void fill_bytes_of_words(int second) {
    char* c = zeros<char>(2 * T);
    TwoStreams streams;
    fill_every_other<<<1, T, 0, streams.one>>>(c, 1);
    fill_every_other<<<1, T, 0, streams.other>>>(c + second, 2);  // <- fill_bytes_of_words
}
void read_by_both() {
    float *c = zeros(T), *one = zeros(T), *other = zeros(T);
    TwoStreams streams;
    copy_elements<<<1, T, 0, streams.one>>>(one, c);
    copy_elements<<<1, T, 0, streams.other>>>(other, c);
}
void same_values_by_both() {
    float* c = zeros(T);
    TwoStreams streams;
    fill<<<1, T, 0, streams.one>>>(c, T);
    fill<<<1, T, 0, streams.other>>>(c, T);
}
void counted_by_both() {
    float* c = zeros(1);
    TwoStreams streams;
    add_up<<<2, T, 0, streams.one>>>(c, true);
    add_up<<<2, T, 0, streams.other>>>(c, true);
}
// Both kernels get a pointer to the whole, and take the half that their own stream has filled.
void half_a_stream_each() {
    float* c = zeros(2 * T);
    TwoStreams streams;
    for (int half = 0; half < 2; ++half) {
        cudaStream_t stream = half ? streams.other : streams.one;
        cudaMemsetAsync(c + half * T, 1, T * sizeof(float), stream);
        twice(c, half * T, stream);
    }
}

struct Case {
    const char* name;
    void (*run)();
};
const Case kCases[] = {
    {"overrun", [] { fill<<<16, T>>>(zeros(N), N + 1); }},
    {"guarded", [] { fill<<<16, T>>>(zeros(N), N); }},
    {"tile_overrun", [] { fill_tile<<<1, T>>>(zeros(N), 4096); }},
    {"tile_within", [] { fill_tile<<<1, T>>>(zeros(N), 4095); }},
    {"misaligned", [] { load_wide<<<1, 1>>>(zeros(N), zeros(1), 1); }},
    {"aligned", [] { load_wide<<<1, 1>>>(zeros(N), zeros(1), 4); }},
    {"atomic_misaligned", [] { add_at<<<1, 1>>>(zeros<char>(8), 1); }},
    {"atomic_aligned", [] { add_at<<<1, 1>>>(zeros<char>(8), 4); }},
    {"use_after_free", [] { float* c = zeros(1); cudaFree(c); made.clear(); store<<<1, 1>>>(c); }},
    {"free_after_use", [] { float* c = zeros(1); store<<<1, 1>>>(c); cudaFree(c); made.clear(); }},
    {"freed_twice", [] { float* c = zeros(1); cudaFree(c); made.clear(); cudaFree(c); }},  // <- freed_twice
    {"freed_once", [] { float* c = zeros(1); cudaFree(c); made.clear(); cudaFree(nullptr); }},
    {"freed_inside", [] { cudaFree(zeros(2) + 1); }},  // <- freed_inside
    {"pinned_freed", [] { float* p; cudaMallocHost(&p, 4); cudaFreeHost(p); }},
    {"host_pointer", [] { float f; store<<<1, 1>>>(&f); }},
    {"managed", [] { float* p; cudaMallocManaged(&p, 4); store<<<1, 1>>>(p); cudaDeviceSynchronize(); on_host = *p; cudaFree(p); }},
    {"read_on_host", [] { on_host = *zeros(1); }},  // <- read_on_host
    {"copied_to_host", [] { float f; cudaMemcpy(&f, zeros(1), 4, cudaMemcpyDeviceToHost); on_host = f; }},
    {"constant_written", [] { write_constant<<<1, 1>>>(); }},
    {"constant_read", [] { read_constant<<<1, 1>>>(zeros(1)); }},
    {"assertion_fails", [] { asserts<<<1, T>>>(T - 1); }},
    {"assertion_holds", [] { asserts<<<1, T>>>(T); }},
    {"divided_by_zero", [] { divides<<<1, 1>>>(zeros<int>(1), 0); }},
    {"divided", [] { divides<<<1, 1>>>(zeros<int>(1), 2); }},
    {"unreachable_reached", [] { unreachable<<<1, 1>>>(zeros<int>(1), true); }},
    {"unreachable_not_reached", [] { unreachable<<<1, 1>>>(zeros<int>(1), false); }},
    {"endless", [] { simt_set_watchdog(0.2); counts_forever<<<1, 1>>>(zeros<unsigned>(1), 2); simt_set_watchdog(0); }},
    {"ends", [] { simt_set_watchdog(60); counts_forever<<<1, 1>>>(zeros<unsigned>(1), 1); simt_set_watchdog(0); }},
    {"too_many_threads", [] { fill<<<1, 1025>>>(zeros(N), N); }},  // <- too_many_threads
    {"most_threads", [] { fill<<<1, 1024>>>(zeros(N), N); }},

    {"unwritten", [] { copy<<<1, T>>>(unwritten(), zeros(T)); }},
    {"written", [] { copy<<<1, T>>>(zeros(T), zeros(T)); }},
    {"tile_unwritten", [] { sum_tile<<<2, T>>>(zeros(T), T - 1); }},
    {"tile_written", [] { sum_tile<<<2, T>>>(zeros(T), T); }},
    {"bytes_unwritten", [] { sum_bytes<<<1, T>>>(zeros(T), 3); }},
    {"bytes_written", [] { sum_bytes<<<1, T>>>(zeros(T), 4); }},

    {"bins_not_zeroed", [] { histogram<<<1, T>>>(zeros<int>(4), false); }},
    {"bins_zeroed", [] { histogram<<<1, T>>>(zeros<int>(4), true); }},

    {"reverse_racy", [] { reverse<<<1, T>>>(zeros(T), false); }},
    {"reverse", [] { reverse<<<1, T>>>(zeros(T), true); }},
    {"rotate_racy", [] { rotate<<<1, T>>>(zeros(T), false); }},
    {"rotate", [] { rotate<<<1, T>>>(zeros(T), true); }},
    {"different_values", [] { all_write<<<1, T>>>(zeros(T), 1); }},
    {"same_value", [] { all_write<<<1, T>>>(zeros(T), 0); }},
    {"shared_byte_of_two", [] { shared_bytes<<<1, T>>>(zeros<char>(T), 2); }},
    {"shared_byte_of_one", [] { shared_bytes<<<1, T>>>(zeros<char>(T), 1); }},
    {"double_buffered_racy", [] { double_buffered<<<1, T>>>(zeros(N), zeros(T), false); }},
    {"double_buffered", [] { double_buffered<<<1, T>>>(zeros(N), zeros(T), true); }},
    {"warp_volatile", [] { warp_reduction<<<1, 32>>>(zeros(1), false); }},
    {"warp_synchronised", [] { warp_reduction<<<1, 32>>>(zeros(1), true); }},
    {"warp_unordered", [] { shuffled<<<1, 32>>>(zeros(T), false); }},
    {"warp_shuffled", [] { shuffled<<<1, 32>>>(zeros(T), true); }},
    {"across_tiles", [] { tiles_of_four<<<1, 32>>>(zeros(T), 4); }},
    {"within_tiles", [] { tiles_of_four<<<1, 32>>>(zeros(T), 3); }},
    {"warp_told_unfenced", [] { tell_warp<<<1, T>>>(zeros(1), false); }},
    {"warp_told", [] { tell_warp<<<1, T>>>(zeros(1), true); }},
    {"block_lock_unfenced", [] { locked_in_block<<<1, 4 * T>>>(zeros<int>(1), false); }},
    {"block_lock", [] { locked_in_block<<<1, 4 * T>>>(zeros<int>(1), true); }},

    {"sum_racy", [] { add_up<<<3, T>>>(zeros(1), false); }},
    {"sum_atomic", [] { add_up<<<3, T>>>(zeros(1), true); }},
    {"variable_racy", [] { add_to_variable<<<3, T>>>(false); }},
    {"variable_atomic", [] { add_to_variable<<<3, T>>>(true); }},
    {"variable_of_two", [] { short h[2]; set_variables<<<2, 1>>>(2); cudaMemcpyFromSymbol(h, halves_of_word, 4); }},
    {"variable_of_one", [] { set_variables<<<2, 1>>>(1); }},
    {"neighbour_block", [] { read_neighbour<<<3, T>>>(zeros(3 * T), T); }},
    {"neighbour_thread", [] { read_neighbour<<<1, T>>>(zeros(T), 1); }},
    {"sums_of_lanes", [] { sum_of_warp<<<2, 32>>>(zeros(1), true); }},
    {"sum_of_one_lane", [] { sum_of_warp<<<1, 32>>>(zeros(1), false); }},
    {"sum_of_every_lane", [] { sum_in_every_lane<<<3, 32>>>(zeros(1)); }},
    {"in_turn_racy", [] { lanes_in_turn<<<1, 32>>>(zeros(1), false); }},
    {"in_turn", [] { lanes_in_turn<<<1, 32>>>(zeros(1), true); }},
    {"in_pairs", [] { lanes_in_pairs<<<1, 32>>>(zeros(1)); }},
    {"flag_of_values", [] { set_flag<<<3, T>>>(zeros<int>(1), 1); }},
    {"flag_of_one_value", [] { set_flag<<<3, T>>>(zeros<int>(1), 0); }},
    {"bytes_of_two", [] { parts<<<2, T>>>(zeros<char>(2 * T), 2); }},
    {"bytes_of_one", [] { parts<<<2, T>>>(zeros<char>(2 * T), 1); }},
    {"shorts_of_two_blocks", [] { parts<<<2, 1>>>(zeros<short>(2), 2); }},
    {"shorts_of_one", [] { parts<<<T, 1>>>(zeros<short>(T), 1); }},
    {"halves_of_neighbours", [] { halves<<<2, T>>>(zeros<__half>(4 * T), zeros<__half>(2 * T), 1); }},
    {"halves_apart", [] { halves<<<2, T>>>(zeros<__half>(4 * T), zeros<__half>(2 * T), 0); }},
    {"word_over_bytes", [] { bytes_beside_words<<<1, T>>>(zeros<unsigned>(2)); }},
    {"word_behind_bytes", [] { bytes_beside_words<<<1, 32>>>(zeros<unsigned>(2)); }},
    {"total_too_early", [] { total_too_early<<<3, 1>>>(zeros(4)); }},
    {"guessed", [] { guess<<<3, T>>>(zeros<double>(1), zeros(1), zeros<int>(16)); }},
    {"partials_unfenced", [] { last_block_adds<<<5, T>>>(zeros(1 + 5 * T), zeros<unsigned>(1), false); }},
    {"partials_fenced", [] { last_block_adds<<<5, T>>>(zeros(1 + 5 * T), zeros<unsigned>(1), true); }},
    {"look_back_unfenced", [] { look_back<<<20, 32>>>(zeros(20), zeros<int>(20), false); }},
    {"look_back", [] { look_back<<<20, 32>>>(zeros(20), zeros<int>(20), true); }},
    {"lock_unfenced", [] { locked<<<5, T>>>(zeros<int>(1), zeros<int>(1), false); }},
    {"lock_fenced", [] { locked<<<5, T>>>(zeros<int>(1), zeros<int>(1), true); }},
    {"rounds_racy", [] { cooperative(grid_rounds, false); }},
    {"rounds", [] { cooperative(grid_rounds, true); }},
    {"leader_racy", [] { cooperative(leader_writes, false); }},
    {"leader", [] { cooperative(leader_writes, true); }},
    {"passed_on_racy", [] { cooperative(passes_on, false); }},
    {"passed_on", [] { cooperative(passes_on, true); }},
    {"waited_asleep", [] { simt_set_watchdog(60); waits_asleep<<<2, 32>>>(zeros<int>(1)); simt_set_watchdog(0); }},
    {"source_read", [] { read_source<<<1, 64>>>(zeros<__half>(8 * 32), zeros<__half>(64)); }},
    {"read_only", [] { read_only<<<3, T>>>(zeros(N), zeros(N)); }},
    {"stopped", [] { stop_all<<<3, T>>>(zeros<int>(1), zeros<int>(3)); }},

    {"barriers_in_branches", [] { barrier_in_branches<<<1, T>>>(zeros(T), 40); }},
    {"barrier_in_one_branch", [] { barrier_in_branches<<<1, T>>>(zeros(T), T); }},
    {"some_return", [] { returns_early<<<2, T>>>(zeros(T), T + 40); }},
    {"all_return", [] { returns_early<<<2, T>>>(zeros(T), T); }},
    {"loops_that_differ", [] { barrier_in_loop<<<1, T>>>(zeros(T), 3, 1); }},
    {"loop_of_barriers", [] { barrier_in_loop<<<1, T>>>(zeros(T), 3, 0); }},
    {"deadlock", [] { barrier_against_shuffle<<<1, 32>>>(zeros(T), true); }},
    {"no_deadlock", [] { barrier_against_shuffle<<<1, 32>>>(zeros(T), false); }},
    {"mask_without_self", [] { mask_of_others<<<1, 32>>>(zeros(T), 0xfffffffe); }},
    {"mask_of_all", [] { mask_of_others<<<1, 32>>>(zeros(T), 0xffffffff); }},
    {"masks_of_halves", [] { masks_of_halves<<<1, 32>>>(zeros(T)); }},
    {"half_of_the_lanes_left", [] { lower_half_shuffles<<<1, 32>>>(zeros(T), 16); }},
    {"no_lane_left", [] { lower_half_shuffles<<<1, 32>>>(zeros(T), 32); }},
    {"arrives_too_often", [] { arrive_twice<<<1, T>>>(zeros(T), 1); }},
    {"arrives_once", [] { arrive_twice<<<1, T>>>(zeros(T), 0); }},
    {"copy_not_waited_for", [] { copy_async<<<1, T>>>(zeros(T), zeros(T), false); }},
    {"copy_waited_for", [] { copy_async<<<1, T>>>(zeros(T), zeros(T), true); }},
    {"source_changed", [] { change_source<<<1, T>>>(zeros(T), zeros(T), false); }},
    {"source_kept", [] { change_source<<<1, T>>>(zeros(T), zeros(T), true); }},
    {"filled_on_another_stream", [] { fill_then_double(false); }},
    {"filled_before", [] { fill_then_double(true); }},
    {"copied_too_early", [] { double_then_copy(false); }},
    {"copied_after", [] { double_then_copy(true); }},
    {"half_copied_too_early", [] { double_halves_then_copy(false); }},
    {"half_copied_after", [] { double_halves_then_copy(true); }},
    {"doubled_too_early", [] { fill_then_double_by_kernels(false); }},
    {"doubled_after", [] { fill_then_double_by_kernels(true); }},
    {"doubled_while_read", [] { read_then_double(false); }},
    {"doubled_after_read", [] { read_then_double(true); }},
    {"same_bytes_by_both", [] { fill_bytes_of_words(0); }},
    {"other_bytes_by_both", [] { fill_bytes_of_words(1); }},
    {"read_by_both", [] { read_by_both(); }},
    {"same_values_by_both", [] { same_values_by_both(); }},
    {"counted_by_both", [] { counted_by_both(); }},
    {"half_a_stream_each", [] { half_a_stream_each(); }},
};
}  // namespace

int main(int count, char** arguments) {
    std::set<std::string> wanted(arguments + 2, arguments + count);
    for (const Case& each : kCases) {
        if (!wanted.empty() && !wanted.count(each.name)) continue;
        simt_set_schedule(atoi(arguments[1]), 7);
        each.run();
        printf("# %s %s\n", each.name, cudaGetErrorName(cudaGetLastError()));
        fputs(simt_take_findings(), stdout);
        simt_reset();
        for (void* p : made) cudaFree(p);
        made.clear();
        simt_take_findings();   // `freed_inside` leaves a pointer that cannot be freed
    }
    return 0;
}
