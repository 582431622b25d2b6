// One case per run: `static_data NAME` launches it and prints the last error, what the case computed, and what the runtime
// found, as JSON lines.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

extern "C" const char* simt_take_findings();
extern "C" void simt_raise_shield(int);
extern "C" void simt_expect_threads(int);

constexpr int N = 64;

// ---- variables of the host ------------------------------------------------------------------------------------------

static float host_buffer[N];
static float host_table[4] = {1, 2, 3, 4};   // not const, and never written
thread_local float of_thread[N], too[N];
namespace deep {
template <class T>
struct Store {
    static T kept[N];
};
template <class T>
T Store<T>::kept[N];
}  // namespace deep

// ---- what kernels may read ------------------------------------------------------------------------------------------

static float measured() {
    volatile float value = 3;
    return value;
}
static const float from_a_constructor = measured();   // in memory that the file leaves zero
static const float table[4] = {5, 6, 7, 8};
constexpr float squares[4] = {0, 1, 4, 9};
template <class T>
struct Constants {
    static constexpr T values[2] = {T(10), T(20)};
    inline static const T more[2] = {T(30), T(40)};
};
struct Shape {
    virtual __device__ float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
__device__ float twice(float x) { return 2 * x; }
__device__ float thrice(float x) { return 3 * x; }
typedef float (*Function)(float);
__device__ Function functions[2] = {twice, thrice};
__device__ const Function fixed_functions[2] = {twice, thrice};

__global__ void constants(float* c) {
    static const float local[2] = {50, 60};
    static constexpr int primes[4] = {2, 3, 5, 7};
    int i = threadIdx.x;
    const char* text = i ? "one" : "zero";
    Square square(3);
    const Shape& shape = square;
    c[i] = table[i % 4] + squares[i % 4] + Constants<float>::values[i % 2] + Constants<float>::more[i % 2] + local[i % 2] +
           primes[i % 4] + text[0] + shape.area() + functions[i % 2](1) + fixed_functions[i % 2](1) + host_table[i % 4] +
           warpSize + from_a_constructor;
    if (i == 0) printf("%s\n", text);
}

// ---- what belongs to the device though no section holds it -------------------------------------------------------------

template <class T>
__device__ T generic[N];
namespace of_the_host {   // variables whose last names are those of the device's
template <class T>
T generic[N];
float* tickets() {
    static float tickets[N];
    return tickets;
}
}  // namespace of_the_host
namespace inner {
namespace {
template <class T>
__device__ T counted;
}
}  // namespace inner
inline __device__ int shared_by_files = 3;
__managed__ int managed;
__device__ int next_ticket() {
    static int tickets;
    return atomicAdd(&tickets, 1);
}
__global__ void device_owned(int* c) {
    static int launches = 10;
    generic<int>[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int sum = generic<int>[N - 1 - threadIdx.x] + shared_by_files;
    if (threadIdx.x == 0) shared_by_files += 1, managed += 1, launches += 1, c[N] = launches + inner::counted<int>++;
    c[threadIdx.x] = sum;
    int ticket = next_ticket();
    if (ticket == N - 1) c[N + 1] = ticket;
}

// ---- accesses by pointer ------------------------------------------------------------------------------------------------

__global__ void store(float* to, const float* from) {
    to[threadIdx.x] = from[threadIdx.x];  // <- store
}
__global__ void store_named() { host_buffer[threadIdx.x] = 1; }  // <- store_named
__global__ void store_copy(float* to, const float* from) {
    memcpy(to + threadIdx.x, from + threadIdx.x, sizeof(float));  // <- store_copy
}
__global__ void store_parts(double x) { modf(x, reinterpret_cast<double*>(host_buffer)); }  // <- store_parts
__global__ void store_thread_local(const float* from) {
    of_thread[threadIdx.x] = too[threadIdx.x] = from[threadIdx.x];  // <- store_thread_local
}
struct Large {
    float values[N];
};
__global__ void change_parameter(Large large, float* c) {
    large.values[threadIdx.x] += 1;
    c[threadIdx.x] = large.values[threadIdx.x];
}

// ---- in a call that is graded: the shield is up ---------------------------------------------------------------------------

__device__ float on_device[N];
__shared__ float in_block[N];
__managed__ float of_both[N];
__global__ void keep(const float* from) {
    on_device[threadIdx.x] += from[threadIdx.x] + 1;
    in_block[threadIdx.x] = from[threadIdx.x] + 1;
}
__global__ void show(float* to) { to[threadIdx.x] = on_device[threadIdx.x]; }
__global__ void store_both() { of_both[threadIdx.x] = 1; }  // <- store_both

static float sum_of(const float* values) {
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += values[i];  // <- host_sum
    return sum;
}

static float* floats() {
    float* p;
    cudaMalloc(&p, N * sizeof(float));
    cudaMemset(p, 0, N * sizeof(float));
    return p;
}

int main(int, char** arguments) {
    std::string name = arguments[1];
    static float in_main[N];
    float *a = floats(), *c = floats(), host[N + 2] = {}, stack[N] = {}, *heap = new float[N]();
    if (name == "write_static") store<<<1, N>>>(host_buffer, a);
    if (name == "write_named") store_named<<<1, N>>>();
    if (name == "write_local_static") store<<<1, N>>>(in_main, a);
    if (name == "write_template_static") store<<<1, N>>>(deep::Store<float>::kept, a);
    if (name == "write_namesake_of_a_template") store<<<1, N>>>(of_the_host::generic<float>, a);
    if (name == "write_namesake_of_a_static") store<<<1, N>>>(of_the_host::tickets(), a);
    if (name == "write_by_memcpy") store_copy<<<1, N>>>(host_buffer, a);
    if (name == "write_by_modf") store_parts<<<1, 1>>>(2.5);
    if (name == "write_thread_local") store_thread_local<<<1, N>>>(a);
    if (name == "write_constant_table") store<<<1, 4>>>(const_cast<float*>(table), a);
    if (name == "read_written_static") { host_buffer[3] = 7; store<<<1, N>>>(c, host_buffer); }
    if (name == "read_unwritten_static") store<<<1, N>>>(c, host_buffer);
    if (name == "write_stack") store<<<1, N>>>(stack, a);
    if (name == "read_stack") store<<<1, N>>>(c, stack);
    if (name == "write_heap") store<<<1, N>>>(heap, a);
    if (name == "constants") constants<<<1, 8>>>(c);
    if (name == "parameter") change_parameter<<<1, N>>>(Large{}, c);
    if (name == "device_owned") {
        auto* counts = reinterpret_cast<int*>(floats());
        cudaFree(counts);
        cudaMalloc(&counts, (N + 2) * sizeof(int));
        managed = 5;
        for (int i = 0; i < 2; ++i) device_owned<<<1, N>>>(counts);
        cudaDeviceSynchronize();
        cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
        auto* seen = reinterpret_cast<int*>(host);
        printf("%d %d %d\n", seen[0], seen[N], managed);
    }
    if (name.find("shield_") == 0) {
        float *managed_floats, *pinned;
        cudaMallocManaged(&managed_floats, N * sizeof(float));
        cudaMallocHost(&pinned, N * sizeof(float));
        if (name == "shield_registered") cudaHostRegister(heap, N * sizeof(float), 0);
        simt_expect_threads(1);
        simt_raise_shield(1);
        if (name == "shield_managed") store<<<1, N>>>(managed_floats, a), cudaDeviceSynchronize(), printf("%g\n", sum_of(managed_floats));
        if (name == "shield_managed_by_kernels") store<<<1, N>>>(managed_floats, a), store<<<1, N>>>(c, managed_floats);
        if (name == "shield_managed_variable") store_both<<<1, N>>>(), printf("%g\n", of_both[0]);
        if (name == "shield_pinned") store<<<1, N>>>(pinned, a);
        if (name == "shield_pinned_by_copies") cudaMemcpy(pinned, a, N * 4, cudaMemcpyDeviceToHost), pinned[0] = 1;
        if (name == "shield_registered") store<<<1, N>>>(heap, a);
        if (name == "shield_hides") {
            for (int i = 0; i < 2; ++i) keep<<<1, N>>>(a);
            printf("%g %d\n", sum_of(on_device), sum_of(in_block) == N);
            for (float& each : on_device) each = 100;
            show<<<1, N>>>(c);
            cudaMemcpy(host, c, N * sizeof(float), cudaMemcpyDeviceToHost);
            printf("%g\n", sum_of(host));
        }
        if (name == "shield_thread" || name == "shield_no_thread") {
            std::atomic<bool> over{name == "shield_no_thread"};
            std::thread other([&] { while (!over) std::this_thread::yield(); });
            if (over) other.join();
            store<<<1, N>>>(c, a);
            over = true;
            if (other.joinable()) other.join();
        }
        simt_raise_shield(0);
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    fputs(simt_take_findings(), stdout);
    return 0;
}
