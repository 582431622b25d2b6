// What other kernels of the collection stumbled over, reduced to the smallest case.
#include <cuda_runtime.h>

// A program's short macros in front of the headers: nothing in these is called so.
#define A 1
#define B 2
#define C 3
#define D 4
#define E 5
#define K 6
#define M 7
#define N 8
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
__global__ void letters(int* out) { out[threadIdx.x] = A + B + C + D + E + K + M + N + int(__nv_bfloat16(1.0f)); }
extern "C" void short_macros(int* out) { letters<<<1, 4>>>(out); }

// A barrier is the last thing that some threads do: the compiler would jump to it, and it would have no place of its own.
__global__ void barrier_at_the_end(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32) values[threadIdx.x] *= 2;
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = values[63 - threadIdx.x];
}
extern "C" void last_barrier(int* out) { barrier_at_the_end<<<1, 64>>>(out); }

// Blocks that meet at an atomic on a __device__ variable, not on an argument: the last one reads what the others wrote.
__device__ unsigned arrived;

__global__ void meet_at_device_variable(int* partial, int* out) {
    partial[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(&arrived, 1u) != gridDim.x - 1) return;
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
    *out = sum;
}
extern "C" void device_variable_orders(int* partial, int* out, int blocks) {
    const unsigned zero = 0;
    cudaMemcpyToSymbol(arrived, &zero, sizeof zero);
    meet_at_device_variable<<<blocks, 1>>>(partial, out);
}

// The stream is a default argument of every call that CUDA's header gives one.
extern "C" void default_streams(const int* from, int* to, int n) {
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaMemsetAsync(to, 0, n * sizeof(int));
    cudaMemcpyAsync(to + 1, from + 1, (n - 1) * sizeof(int), cudaMemcpyDeviceToDevice);
    cudaEventRecord(event);
    cudaStreamWaitEvent(0, event);
    cudaMemcpy2DAsync(to, 8, from, 8, 4, 1, cudaMemcpyDeviceToDevice);
    cudaEventSynchronize(event);
    cudaEventDestroy(event);
}

// Shared arrays of classes whose default constructor does nothing: the compiler asks a guard variable beside each of them
// whether it has been constructed, which is no access of the kernel's.
struct Empty {
    float value;
    __device__ Empty() {}
};
__global__ void reverse_halves(half* data, float* out) {
    __shared__ half halves[32];
    __shared__ Empty classes[32];
    halves[threadIdx.x] = data[threadIdx.x];
    classes[threadIdx.x].value = threadIdx.x;
    __syncthreads();
    data[threadIdx.x] = halves[31 - threadIdx.x];
    out[threadIdx.x] = classes[31 - threadIdx.x].value;
}
extern "C" void shared_halves(half* data, float* out) { reverse_halves<<<1, 32>>>(data, out); }

// C++20 puts its lerp beside the program's own.
__device__ float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }
__global__ void interpolate(float* data) { data[threadIdx.x] = lerp(data[threadIdx.x], 10.0f, 0.5f); }
extern "C" void own_lerp(float* data) { interpolate<<<1, 4>>>(data); }

// How large a symbol is.
struct Settings { int values[5]; };
__constant__ struct Settings settings;
extern "C" void symbol_size(int* out) {
    size_t bytes = 0;
    cudaGetSymbolSize(&bytes, settings);
    const int size = static_cast<int>(bytes);
    cudaMemcpy(out, &size, sizeof size, cudaMemcpyHostToDevice);
}

// What owns memory converts to a pointer, and is not copied on the way into the kernel: a copy would free it.
class OwnedInts {
  public:
    explicit OwnedInts(int n) { cudaMalloc(&memory_, n * sizeof(int)); }
    ~OwnedInts() { cudaFree(memory_); }
    OwnedInts(const OwnedInts&) = delete;
    operator int*() { return memory_; }

  private:
    int* memory_;
};
__global__ void number(int* out, int first) { out[threadIdx.x] = first + threadIdx.x; }
template <typename T>
__global__ void number_as(T* out, T first, const T* none) { out[threadIdx.x] = first + threadIdx.x + (none ? 1 : 0); }
template <typename... T>
__global__ void add_all(int* out, T... values) { out[threadIdx.x] = (values + ... + 0); }

extern "C" void owner_as_argument(int* out) {
    OwnedInts owned(8);
    number<<<1, 8>>>(owned, 3);
    cudaMemcpy(out, owned, 8 * sizeof(int), cudaMemcpyDeviceToDevice);
    number_as<int><<<1, 8>>>(owned, 4, 0);
    cudaMemcpy(out + 8, owned, 8 * sizeof(int), cudaMemcpyDeviceToDevice);
    add_all<int><<<1, 8>>>(out + 16, 5, 6, 2.5);   // the rest of the pack is deduced
}

// One step of a sequence alignment in each of the forms that sm_90 has an instruction for.
__global__ void align_step(const int* a, const int* b, const int* c, int* out, int n) {
    const int i = threadIdx.x;
    bool first, high, low;
    out[i] = __viaddmax_s32_relu(a[i], b[i], c[i]);
    out[n + i] = __vimin3_s32(a[i], b[i], c[i]);
    out[2 * n + i] = __vibmax_s32(a[i], b[i], &first);
    out[3 * n + i] = first;
    out[4 * n + i] = __viaddmin_s16x2(a[i], b[i], c[i]);
    out[5 * n + i] = __vimax_s16x2_relu(a[i], b[i]);
    out[6 * n + i] = __vibmin_u16x2(a[i], b[i], &high, &low);
    out[7 * n + i] = 2 * high + low;
    out[8 * n + i] = __vimax3_u32(a[i], b[i], c[i]);
}
extern "C" void dynamic_programming(const int* a, const int* b, const int* c, int* out, int n) { align_step<<<1, n>>>(a, b, c, out, n); }

// All lanes hand a value to the shuffle, and only that of the first is defined. A compiler to which every argument is defined
// would conclude that every lane is the first.
__device__ int reserve(int* counter) {
    int base;
    if (threadIdx.x == 0) base = atomicAdd(counter, 32);
    return __shfl_sync(0xffffffff, base, 0) + threadIdx.x;
}
__global__ void reserve_each(int* counter, int* out) { out[reserve(counter)] = threadIdx.x; }
extern "C" void undefined_value(int* counter, int* out, int blocks) { reserve_each<<<blocks, 32>>>(counter, out); }
