// One case per run: `findings NAME` launches it and prints what the runtime found, as JSON lines. The line that a finding must
// name carries the mark "// <- KIND".
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

extern "C" const char* simt_take_findings();
extern "C" void simt_set_watchdog(double);
extern "C" void simt_set_schedule(int, unsigned long);

constexpr int N = 1000;
__constant__ float table[4];
__device__ float device_table[4];

// ---- global memory ----------------------------------------------------------------------------------------------------

__global__ void fill(float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = i;
}
__global__ void fill_unguarded(float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = i;  // <- out_of_bounds
}
__global__ void shift(const float* a, float* c, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i + by];  // <- read
}
__global__ void store_at(float* c, long i) {
    c[i] = 1;  // <- store
}
__global__ void store_twice(float* c, long i, long j) {
    c[threadIdx.x ? i : j] = 1;  // <- store_twice
}
__global__ void load_wide(const float* a, float* c, int by) {
    float4 v = *reinterpret_cast<const float4*>(a + by);  // <- misaligned
    c[0] = v.x + v.y + v.z + v.w;
}
__global__ void copy_bytes(const char* a, char* c, int bytes) {
    memcpy(c, a + blockIdx.x, bytes);  // <- memcpy
}
__global__ void count(int* c) {
    atomicAdd(c, 1);  // <- atomic
}
__global__ void read_beside(float* c, int i) { c[0] = table[i]; }  // <- read_beside
__global__ void write_constant() {
    const_cast<float*>(table)[threadIdx.x] = 1;  // <- write_to_const
}
__global__ void read_constant(float* c) {
    device_table[threadIdx.x] = table[threadIdx.x];
    c[threadIdx.x] = device_table[threadIdx.x];
}

// ---- global memory, several threads -----------------------------------------------------------------------------------

__global__ void add_up(float* c, const float* a, bool atomic) {
    float value = a[blockIdx.x * blockDim.x + threadIdx.x];
    if (atomic) atomicAdd(&c[0], value);
    else c[0] += value;  // <- add_up
}
__global__ void pass_on(float* c, int distance) {   // reads what another thread may be writing
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    c[i] = 1;
    __syncthreads();
    float other = c[(i + distance) % n];  // <- pass_on_read
    __syncthreads();
    if (other != 7) c[i] = other;  // <- pass_on_write
}
__global__ void all_read_one_writes(float* c, int writer) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i + 1] = c[0];  // <- all_read
    if (i == writer) c[0] = 5;  // <- one_writes_after
}
__global__ void each_writes_its_own(float* c, const float* a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[0] + a[i];
    c[i] += 1;
    __syncthreads();
    float next = c[blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    c[i] += next;
}
// The last block adds up what the others wrote; the ticket orders them.
__global__ void last_block_adds(float* c, unsigned* arrived) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        c[blockIdx.x + 1] = 1;
        __threadfence();
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += c[i + 1];
    c[0] = sum;
}

// ---- shared memory ------------------------------------------------------------------------------------------------------

__global__ void reverse(float* c, bool barrier) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;  // <- reverse_write
    if (barrier) __syncthreads();
    c[threadIdx.x] = tile[63 - threadIdx.x];  // <- reverse_read
}
__global__ void rotate(float* c, bool barrier) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float next = tile[(threadIdx.x + 1) % 64];  // <- rotate_read
    if (barrier) __syncthreads();
    tile[threadIdx.x] = next + 1;  // <- rotate_write
    c[threadIdx.x] = tile[threadIdx.x];
}
__global__ void all_write(float* c, bool one) {
    __shared__ float flag;
    if (!one || threadIdx.x == 0) flag = 1 + threadIdx.x;  // <- all_write
    __syncthreads();
    c[threadIdx.x] = flag;
}
__global__ void within_warp(float* c, bool sync, int distance) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (sync) __syncwarp();
    c[threadIdx.x] = tile[threadIdx.x ^ distance];  // <- warp_read
}
__global__ void within_half_warps(float* c, int distance) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000);
    c[threadIdx.x] = tile[threadIdx.x ^ distance];  // <- half_warp_read
}
// Lane 0 tells lane 1, lane 1 tells lane 2: what lane 0 wrote is known to lane 2, though the two never met.
__global__ void told_on(float* c) {
    __shared__ float value;
    unsigned lane = threadIdx.x;
    if (lane == 0) value = 5;
    if (lane < 2) __syncwarp(0x3);
    if (lane == 1 || lane == 2) __syncwarp(0x6);
    if (lane == 2) c[0] = value;
}
__global__ void bytes(char* c, bool neighbours) {
    __shared__ char tile[64];
    int i = neighbours ? threadIdx.x : threadIdx.x / 2;
    tile[i] = threadIdx.x;  // <- bytes
    __syncthreads();
    c[threadIdx.x] = tile[neighbours ? threadIdx.x : 0];
}
__global__ void histogram(int* c, bool atomic) {
    __shared__ int bins[4];
    if (threadIdx.x < 4) bins[threadIdx.x] = 0;
    __syncthreads();
    if (atomic) atomicAdd(&bins[threadIdx.x % 4], 1);
    else bins[threadIdx.x % 4] += 1;  // <- histogram
    __syncthreads();
    if (threadIdx.x < 4) c[threadIdx.x] = bins[threadIdx.x];
}
__global__ void shared_unwritten(float* c, bool written) {
    __shared__ float tile[64];
    if (written) tile[threadIdx.x] = 0;
    c[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];  // <- shared_unwritten
}
__global__ void static_shared(float* c, int i) {
    __shared__ float tile[64], other[64];
    tile[threadIdx.x] = other[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 63) tile[i] = 2;  // <- static_shared
    c[threadIdx.x] = tile[threadIdx.x] + other[threadIdx.x];
}
struct Pair {
    float first, second;
};
__global__ void of_reference(float* c, const Pair& pair) { c[threadIdx.x] = pair.second; }  // <- of_reference
template <class T>
__global__ void of_reference_template(T* c, const Pair& pair) {
    c[threadIdx.x] = pair.second;  // <- of_reference_template
}
__global__ void of_copy(float* c, const Pair pair) {
    const Pair& here = pair;
    c[threadIdx.x] = here.second;
}
__global__ void static_vector(float* c, int i) {
    __shared__ __align__(16) float tile[64], other[64];
    tile[threadIdx.x] = other[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 63) reinterpret_cast<float4*>(tile)[i] = {2, 2, 2, 2};  // <- static_vector
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x] + other[threadIdx.x];
}
__global__ void dynamic_shared(float* c) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1;  // <- dynamic
    c[threadIdx.x] = tile[threadIdx.x];
}

// ---- objects that calls take and return by value --------------------------------------------------------------------------

struct Nested {
    Pair pair;
    float third;
};
struct Row {
    Pair pairs[5];
};
struct Pixel {  // which is no plain sequence of bytes: a float4 has a copy constructor
    float4 colour;
    int id;
};
template <class T>
__device__ __noinline__ T passed(T object) { return object; }
__device__ __noinline__ float sum_of(Pair pair) { return pair.first + pair.second; }
__device__ __noinline__ float first_of(const Pair& pair) { return pair.first; }
template <class T>
__global__ void hand_over(const T* in, T* out) {
    T object = passed(in[threadIdx.x]);  // <- handed_over
    out[threadIdx.x] = passed(object);  // <- handed_back
}
template <class T>
__global__ void hand_over_shared(const T* in, T* out, bool barrier) {
    __shared__ T of_thread[64];
    of_thread[threadIdx.x] = passed(in[threadIdx.x]);  // <- handed_back_shared
    if (barrier) __syncthreads();
    out[threadIdx.x] = passed(of_thread[63 - threadIdx.x]);  // <- handed_over_shared
}
template <class T>
__global__ void hand_over_local(const T* in, T* out, int n) {
    T own[4] = {};
    for (int i = 0; i < n; ++i) own[i] = passed(in[i]);
    out[threadIdx.x] = passed(own[threadIdx.x % n]);
}
__global__ void write_first(Pair* pairs) { pairs[threadIdx.x].first = 1; }
__global__ void add_pairs(const Pair* in, float* out) {
    out[threadIdx.x] = sum_of(in[threadIdx.x]);  // <- half_a_pair
}
__global__ void take_first(const Pair* in, float* out) { out[threadIdx.x] = first_of(in[threadIdx.x]); }
__global__ void one_of_two(const Pair* in, float* out, bool barrier) {
    __shared__ Pair of_warp[2];
    const Pair none = {0, 0};
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = in[threadIdx.x];
    if (barrier) __syncthreads();
    out[threadIdx.x] = sum_of(threadIdx.x % 32 < 2 ? of_warp[threadIdx.x % 32] : none);  // <- one_of_two
}
// Objects that operators, members and templates compute, and one of two.
template <class T>
struct Box {
    T values[2];
};
template <class T>
__device__ __noinline__ Box<T> boxed(const T& value) {
    return {value, value};
}
__device__ __noinline__ Pair operator+(const Pair& one, const Pair& other) {
    return {one.first + other.first, one.second + other.second};
}
__device__ __noinline__ Pair operator-(const Pair& one) { return {-one.first, -one.second}; }
struct Camera {
    float scale;
    __device__ __noinline__ Pair seen(const Pair& pair) const { return {scale * pair.first, scale * pair.second}; }
};
__global__ void compute_objects(const Pair* in, Pair* out, Camera camera) {
    __shared__ Pair sums[64], signs[64], seen[64], either[64];
    __shared__ Box<float> boxes[64];
    int i = threadIdx.x, other = 63 - i;
    sums[i] = in[i] + in[other];
    signs[i] = -in[i];
    seen[i] = camera.seen(in[i]);
    either[i] = (i % 2 ? in[i] + in[0] : passed(in[i]));
    boxes[i] = boxed(in[i].first);
    __syncthreads();
    const Pair* all[] = {&sums[other], &signs[other], &seen[other], &either[other]};
    Pair total = {boxes[other].values[0], boxes[other].values[1]};
    for (const Pair* each : all) total = total + *each;
    out[i] = total + total;  // <- computed_object
}
struct __attribute__((packed)) Packed {
    char letter;
    int number;
};
struct Bits {
    unsigned low : 3, high : 29;
};
typedef float Floats __attribute__((vector_size(16)));
struct Moved {
    int number;
    Moved() = default;
    Moved(Moved&&) = default;
    Moved& operator=(Moved&&) = default;
};
__device__ __noinline__ Moved moved(int number) {
    Moved result;
    result.number = number;
    return result;
}
// What is no object, or one that no reference can name, and results that cannot be copied.
__global__ void hand_over_anything(Packed* packed, Bits* bits, Floats* vectors, volatile int* words, int (*rows)[4], Moved* results) {
    packed[0].number = 5, bits[0].high = 6, vectors[0][2] = 7, words[0] = 8;
    packed[1].number = passed(packed[0].number);
    bits[1].low = passed(bits[0].high);
    vectors[1][3] = passed(vectors[0][2]);
    words[1] = passed(words[0]);
    results[1] = moved(passed(words[1]));
    rows[1][0] = threadIdx.x == 0 ? passed(packed[1].number) : passed(words[1]);
    assert(packed[1].number == 5 && bits[1].low == 6 && vectors[1][3] == 7 && words[1] == 8 && results[1].number == 8);
    assert(passed(rows[1]) == rows[1] && *passed(rows[1]) == 5);
}
__global__ void copy_pixels(const Pixel* in, Pixel* out) {
    out[threadIdx.x] = in[threadIdx.x];  // <- copied
}

// ---- barriers and warps -----------------------------------------------------------------------------------------------------

__global__ void barrier_after_return(float* c, int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();  // <- barrier_after_return
    c[threadIdx.x] = 1;
}
__device__ float wait_and_read(const float* c) {
    __syncthreads();  // <- barrier_in_function
    return c[0];
}
__global__ void barrier_in_function(float* c, int n) {
    if (threadIdx.x >= n) return;
    float first = wait_and_read(c);  // <- called_by_some
    if (first > 0) c[threadIdx.x] = first;
}
__device__ __noinline__ void bring(float* tile, const float* from) {
    tile[threadIdx.x] = from[threadIdx.x];  // <- brings
}
__global__ void sums_without_first_barrier(const float* a, float* c) {
    __shared__ float tile[64];
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
        bring(tile, a + 64 * k);
        for (int i = 0; i < 64; ++i) sum += tile[i];  // <- sums_too_early
        __syncthreads();
    }
    c[threadIdx.x] = sum;
}
__global__ void sums_without_second_barrier(const float* a, float* c) {
    __shared__ float tile[64];
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
        bring(tile, a + 64 * k);
        __syncthreads();
        for (int i = 0; i < 64; ++i) sum += tile[i];  // <- sums_too_late
    }
    c[threadIdx.x] = sum;
}
__device__ __noinline__ void store_in_helper(float* c, int i) {
    c[i] = 1;  // <- helper_store
}
__device__ __forceinline__ void store_both(float* c, int i) {
    store_in_helper(c, i);  // <- helper_call
    store_in_helper(c, 0);
}
__global__ void overrun_in_helper(float* c, int n) {
    store_both(c, n);  // <- kernel_call
}
__device__ __forceinline__ float read_inlined(const float* a, int i) {
    return a[i];  // <- inlined_read
}
__global__ void overrun_inlined(const float* a, float* c, int n) {
    c[0] = read_inlined(a, n);  // <- inlined_call
}
__global__ void barrier_in_branches(float* c, int n) {
    if (threadIdx.x < n) {
        c[threadIdx.x] = 1;
        __syncthreads();  // <- first_branch
    } else {
        c[threadIdx.x] = 2;
        __syncthreads();  // <- second_branch
    }
}
__global__ void barrier_in_loop(float* c, int n) {
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) {
        c[threadIdx.x] = i;
        __syncthreads();
    }
}
__global__ void barrier_against_shuffle(float* c) {
    if (threadIdx.x == 0) __syncthreads();
    c[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 0);  // <- deadlock
}
__global__ void mask_without_self(float* c) {
    c[threadIdx.x] = __shfl_sync(0xfffffffe, threadIdx.x, 1);  // <- without_self
}
__global__ void masks_that_differ(float* c) {
    unsigned mask = threadIdx.x < 16 ? 0xffffffff : 0xffff00ff;
    c[threadIdx.x] = __shfl_sync(mask, threadIdx.x, threadIdx.x & 16);  // <- differ
}
__global__ void masks_of_halves(float* c) {
    unsigned mask = threadIdx.x < 16 ? 0x0000ffff : 0xffff0000;
    c[threadIdx.x] = __shfl_sync(mask, threadIdx.x, threadIdx.x & 16);
}
__global__ void asserts(int limit) {
    assert(threadIdx.x < limit);  // <- trap
}
__global__ void spins(volatile int* c, bool forever) {
    while (forever && *c != 12345) {  // <- spins
    }
}
__global__ void computes(unsigned* c, unsigned n) {
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i != n; i += 2) x = x * 1664525 + 1013904223;  // <- computes
    *c = x;
}

// ---- cases --------------------------------------------------------------------------------------------------------------------

static float* floats(int n, bool written = true) {
    float* p;
    cudaMalloc(&p, n * sizeof(float));
    if (written) cudaMemset(p, 0, n * sizeof(float));
    return p;
}

template <class T>
static T* objects(int n, bool written = true) { return reinterpret_cast<T*>(floats(int(n * sizeof(T) / sizeof(float)), written)); }

template <class T>
static void hand(const std::string& how) {
    if (how == "within") hand_over<<<1, 64>>>(objects<T>(64), objects<T>(64, false));
    if (how == "past") hand_over<<<1, 64>>>(objects<T>(62), objects<T>(64, false));
    if (how == "back_past") hand_over<<<1, 64>>>(objects<T>(64), objects<T>(62, false));
    if (how == "unwritten") hand_over<<<1, 64>>>(objects<T>(64, false), objects<T>(64, false));
    if (how == "ordered") hand_over_shared<<<1, 64>>>(objects<T>(64), objects<T>(64, false), true);
    if (how == "racy") hand_over_shared<<<1, 64>>>(objects<T>(64), objects<T>(64, false), false);
    if (how == "local") hand_over_local<<<1, 64>>>(objects<T>(4), objects<T>(64, false), 4);
}

static void report(const char* text) { fputs(text, stdout); }

int main(int, char** arguments) {
    std::string name = arguments[1];
    float *a = floats(N), *c = floats(N, false), host[64] = {};
    int* counter = reinterpret_cast<int*>(floats(4));
    if (name == "guarded") fill<<<4, 256>>>(c, N);
    if (name == "out_of_bounds") fill_unguarded<<<4, 256>>>(c);
    if (name == "read_past") shift<<<4, 256>>>(a, c, N, 1);
    if (name == "first_barrier") sums_without_first_barrier<<<1, 64>>>(a, c);
    if (name == "second_barrier") sums_without_second_barrier<<<1, 64>>>(a, c);
    if (name == "overrun_in_helper") overrun_in_helper<<<1, 1>>>(c, N);
    if (name == "overrun_inlined") overrun_inlined<<<1, 1>>>(a, c, N);
    if (name == "read_before") shift<<<4, 256>>>(a, c, N, -2);
    if (name == "read_within") shift<<<4, 256>>>(a, c, N, 0);
    if (name == "far_away") store_at<<<1, 1>>>(c, 1l << 32);
    if (name == "just_below_the_next") store_twice<<<1, 2>>>(a, c - a - 100, c - a - 100);
    if (name == "walks_to_the_next") store_twice<<<1, 2>>>(a, c - a - 100, N - 1);
    if (name == "use_after_free") { cudaFree(c); store_at<<<1, 1>>>(c, 3); }
    if (name == "free_after_use") { store_at<<<1, 1>>>(c, 3); cudaFree(c); }
    if (name == "unwritten") shift<<<4, 256>>>(c, a, N, 0);
    if (name == "atomic_unwritten") count<<<1, 1>>>(reinterpret_cast<int*>(c));
    if (name == "atomic_written") count<<<1, 64>>>(counter);
    if (name == "misaligned") load_wide<<<1, 1>>>(a, c, 1);
    if (name == "aligned") load_wide<<<1, 1>>>(a, c, 4);
    if (name == "memcpy_past") copy_bytes<<<1, 1>>>(reinterpret_cast<char*>(a), reinterpret_cast<char*>(c), 4 * N + 2);
    if (name == "memcpy_by_two") fill<<<4, 256>>>(a, N), copy_bytes<<<2, 1>>>(reinterpret_cast<char*>(a), reinterpret_cast<char*>(c), 64);
    if (name == "memcpy_within") copy_bytes<<<1, 1>>>(reinterpret_cast<char*>(a), reinterpret_cast<char*>(c), 4 * N);
    const Pair pair = {1, 2};
    if (name == "reference") of_reference<<<1, 1>>>(c, pair);
    if (name == "reference_template") of_reference_template<float><<<1, 1>>>(c, pair);
    if (name == "copied_structure") of_copy<<<1, 1>>>(c, pair);
    const std::string type = name.substr(0, name.find('.')), how = name.substr(name.find('.') + 1);
    if (type == "pair") hand<Pair>(how);
    if (type == "nested") hand<Nested>(how);
    if (type == "row") hand<Row>(how);
    if (type == "pixel") hand<Pixel>(how);
    if (type == "float4") hand<float4>(how);
    if (type == "half2") hand<half2>(how);
    if (type == "half") hand<half>(how);
    if (type == "complex") hand<cuComplex>(how);
    if (name == "half_a_pair" || name == "first_of_half_a_pair") {
        Pair* pairs = objects<Pair>(64, false);
        write_first<<<1, 64>>>(pairs);
        if (name == "half_a_pair") add_pairs<<<1, 64>>>(pairs, c);
        if (name == "first_of_half_a_pair") take_first<<<1, 64>>>(pairs, c);
    }
    if (name == "anything") {
        hand_over_anything<<<1, 1>>>(objects<Packed>(4), objects<Bits>(2), objects<Floats>(2), objects<int>(2), objects<int[4]>(2), objects<Moved>(2));
    }
    if (name == "computed") compute_objects<<<1, 64>>>(objects<Pair>(64), objects<Pair>(64), {2});
    if (name == "computed_past") compute_objects<<<1, 64>>>(objects<Pair>(64), objects<Pair>(63), {2});
    if (name == "one_of_two_racy") one_of_two<<<1, 64>>>(objects<Pair>(64), c, false);
    if (name == "one_of_two_ordered") one_of_two<<<1, 64>>>(objects<Pair>(64), c, true);
    if (name == "pixels_past") copy_pixels<<<1, 64>>>(objects<Pixel>(62), objects<Pixel>(64, false));
    if (name == "host_pointer") store_at<<<1, 1>>>(host, 0);
    if (name == "null_pointer") store_at<<<1, 1>>>(nullptr, 0);
    if (name == "pinned") { float* p; cudaMallocHost(&p, 64); p[0] = 0; store_at<<<1, 1>>>(p, 0); p[1] = p[0]; }
    if (name == "registered") { cudaHostRegister(host, sizeof host, 0); store_at<<<1, 1>>>(host, 0); }
    if (name == "managed") { float* p; cudaMallocManaged(&p, 64); p[0] = 1; shift<<<1, 1>>>(p, c, 1, 0); p[1] = p[0]; }
    if (name == "other_device") { cudaSetDevice(1); float* p = floats(4); cudaSetDevice(0); store_at<<<1, 1>>>(p, 0); }
    if (name == "peer") { cudaSetDevice(1); float* p = floats(4); cudaSetDevice(0); cudaDeviceEnablePeerAccess(1, 0); store_at<<<1, 1>>>(p, 0); }
    if (name == "beside_variables") read_beside<<<1, 1>>>(floats(1), 64);
    if (name == "write_constant") write_constant<<<1, 4>>>();
    if (name == "read_constant") { cudaMemcpyToSymbol(table, host, sizeof table); read_constant<<<1, 4>>>(c); }
    if (name == "host_reads_device") host[0] = c[0];  // <- host_reads_device
    if (name == "add_up_racy") add_up<<<3, 64>>>(floats(1), a, false);
    if (name == "add_up_in_warp") add_up<<<1, 32>>>(floats(1), a, false);
    if (name == "add_up_atomic") add_up<<<3, 64>>>(floats(1), a, true);
    if (name == "pass_on_across_blocks") pass_on<<<4, 64>>>(floats(256), 64);
    if (name == "pass_on_within_block") pass_on<<<1, 64>>>(c, 1);
    if (name == "first_block_writes") all_read_one_writes<<<4, 64>>>(floats(257), 0);
    if (name == "last_thread_writes") all_read_one_writes<<<4, 64>>>(floats(257), 255);
    if (name == "one_block_last_thread_writes") all_read_one_writes<<<1, 64>>>(floats(257), 63);
    if (name == "nobody_writes") all_read_one_writes<<<4, 64>>>(floats(257), 1000);
    if (name == "each_writes_its_own") for (int i = 0; i < 3; ++i) each_writes_its_own<<<4, 64>>>(floats(256), a);
    if (name == "last_block_adds") last_block_adds<<<9, 64>>>(floats(10), reinterpret_cast<unsigned*>(counter));
    if (name == "reverse_racy") reverse<<<1, 64>>>(c, false);
    if (name == "reverse_ordered") reverse<<<1, 64>>>(c, true);
    if (name == "rotate_racy") rotate<<<1, 64>>>(c, false);
    if (name == "rotate_ordered") rotate<<<1, 64>>>(c, true);
    if (name == "all_write") all_write<<<1, 64>>>(c, false);
    if (name == "one_writes") all_write<<<1, 64>>>(c, true);
    if (name == "warp_racy") within_warp<<<1, 64>>>(c, false, 1);
    if (name == "warp_ordered") within_warp<<<1, 64>>>(c, true, 1);
    if (name == "warp_across") within_warp<<<1, 64>>>(c, true, 32);
    if (name == "half_warps_within") within_half_warps<<<1, 32>>>(c, 1);
    if (name == "half_warps_across") within_half_warps<<<1, 32>>>(c, 16);
    if (name == "told_on") told_on<<<1, 32>>>(c);
    if (name == "bytes_apart") bytes<<<1, 64>>>(reinterpret_cast<char*>(c), true);
    if (name == "bytes_together") bytes<<<1, 64>>>(reinterpret_cast<char*>(c), false);
    if (name == "histogram_racy") histogram<<<1, 64>>>(counter, false);
    if (name == "histogram_atomic") histogram<<<1, 64>>>(counter, true);
    if (name == "shared_unwritten") shared_unwritten<<<2, 64>>>(c, false);
    if (name == "shared_written") shared_unwritten<<<2, 64>>>(c, true);
    if (name == "static_past") static_shared<<<1, 64>>>(c, 64);
    if (name == "static_before") static_shared<<<1, 64>>>(c, -2);
    if (name == "static_within") static_shared<<<1, 64>>>(c, 63);
    if (name == "vector_past") static_vector<<<1, 64>>>(c, 16);
    if (name == "vector_within") static_vector<<<1, 64>>>(c, 15);
    if (name == "dynamic_too_small") dynamic_shared<<<1, 64, 100>>>(c);
    if (name == "dynamic_enough") dynamic_shared<<<1, 64, 256>>>(c);
    if (name == "barrier_after_return") barrier_after_return<<<1, 64>>>(c, 40);
    if (name == "barrier_in_function") barrier_in_function<<<1, 64>>>(c, 40);
    if (name == "barrier_by_all") barrier_after_return<<<1, 64>>>(c, 64);
    if (name == "barrier_in_branches") barrier_in_branches<<<1, 64>>>(c, 40);
    if (name == "barrier_in_one_branch") barrier_in_branches<<<1, 64>>>(c, 64);
    if (name == "barrier_in_loop") barrier_in_loop<<<1, 64>>>(c, 10);
    if (name == "deadlock") barrier_against_shuffle<<<1, 32>>>(c);
    if (name == "mask_without_self") mask_without_self<<<1, 32>>>(c);
    if (name == "masks_that_differ") masks_that_differ<<<1, 32>>>(c);
    if (name == "masks_of_halves") masks_of_halves<<<1, 32>>>(c);
    if (name == "too_many_threads") fill<<<1, 1025>>>(c, N);
    if (name == "too_much_shared") dynamic_shared<<<1, 64, 50000>>>(c);
    if (name == "shared_opted_in") { cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000); dynamic_shared<<<1, 64, 50000>>>(c); }
    if (name == "assertion_fails") asserts<<<1, 64>>>(40);
    if (name == "assertion_holds") asserts<<<1, 64>>>(64);
    if (name == "computes_as_the_environment_allows") computes<<<1, 1>>>(reinterpret_cast<unsigned*>(counter), 1);
    if (name == "computes_without_limit") {
        simt_set_watchdog(0);
        computes<<<1, 1>>>(reinterpret_cast<unsigned*>(counter), 200'000'000);
    }
    simt_set_watchdog(name.find("forever") == name.npos ? 60 : 0.2);   // a loaded machine makes a short kernel long
    if (name == "spins_forever") spins<<<1, 1>>>(counter, true);
    if (name == "spins_never") spins<<<1, 1>>>(counter, false);
    if (name == "computes_forever") computes<<<1, 1>>>(reinterpret_cast<unsigned*>(counter), 1);
    if (name == "computes_while_stopped") {
        simt_set_watchdog(1);
        puts("computes"), fflush(stdout);
        computes<<<1, 1>>>(reinterpret_cast<unsigned*>(counter), 200'000'000);
    }
    if (name == "computes_briefly") computes<<<1, 1>>>(reinterpret_cast<unsigned*>(counter), 1000);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    report(simt_take_findings());
    return 0;
}
