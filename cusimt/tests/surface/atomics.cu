// Atomic operations: on global and shared memory, contended and alone.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* values, int n, int* bins, int count) {
    extern __shared__ int local[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[values[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
extern "C" void histogram(const int* values, int n, int* bins, int count) {
    histogram_kernel<<<7, 96, count * sizeof(int)>>>(values, n, bins, count);
}

// Every thread takes a ticket: each number exactly once.
__global__ void ticket_kernel(unsigned* next, unsigned* taken) {
    taken[blockIdx.x * blockDim.x + threadIdx.x] = atomicInc(next, 99);
}
extern "C" void ticket(unsigned* next, unsigned* taken) { ticket_kernel<<<5, 50>>>(next, taken); }

template <typename T>
__global__ void sum_kernel(const T* values, T* sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[0], values[i]);
    atomicAdd_block(&sums[1 + blockIdx.x], values[i]);
    atomicAdd_system(&sums[3], T(1));
}
extern "C" void sum_int(const int* v, int* s) { sum_kernel<<<2, 64>>>(v, s); }
extern "C" void sum_unsigned(const unsigned* v, unsigned* s) { sum_kernel<<<2, 64>>>(v, s); }
extern "C" void sum_long(const unsigned long long* v, unsigned long long* s) { sum_kernel<<<2, 64>>>(v, s); }
extern "C" void sum_float(const float* v, float* s) { sum_kernel<<<2, 64>>>(v, s); }
extern "C" void sum_double(const double* v, double* s) { sum_kernel<<<2, 64>>>(v, s); }

template <typename T>
__global__ void integer_kernel(const T* values, T* out) {
    T value = values[threadIdx.x];
    atomicMin(&out[0], value);
    atomicMax(&out[1], value);
    atomicAnd(&out[2], value);
    atomicOr(&out[3], value);
    atomicXor(&out[4], value);
}
extern "C" void integer_int(const int* v, int* out) { integer_kernel<<<1, 64>>>(v, out); }
extern "C" void integer_unsigned(const unsigned* v, unsigned* out) { integer_kernel<<<1, 64>>>(v, out); }
extern "C" void integer_long(const long long* v, long long* out) { integer_kernel<<<1, 64>>>(v, out); }
extern "C" void integer_ulong(const unsigned long long* v, unsigned long long* out) { integer_kernel<<<1, 64>>>(v, out); }

// One thread: the value each operation returns is the one it found.
__global__ void returned_kernel(int* out, unsigned* u, float* f, unsigned short* h) {
    out[1] = atomicAdd(&out[0], 5);
    out[2] = atomicSub(&out[0], 3);
    out[3] = atomicExch(&out[0], 100);
    out[4] = atomicCAS(&out[0], 100, 7);
    out[5] = atomicCAS(&out[0], 100, 8);
    out[6] = out[0];
    u[1] = atomicInc(&u[0], 3);
    u[2] = atomicInc(&u[0], 3);
    u[3] = atomicDec(&u[0], 9);
    u[4] = atomicDec(&u[0], 9);
    u[5] = u[0];
    f[1] = atomicExch(&f[0], 2.5f);
    f[2] = atomicAdd(&f[0], 1);
    h[1] = atomicCAS(&h[0], (unsigned short)3, (unsigned short)4);
}
extern "C" void returned(int* out, unsigned* u, float* f, unsigned short* h) { returned_kernel<<<1, 1>>>(out, u, f, h); }

// The maximum of floats by a compare-and-swap loop.
__device__ float atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void maximum_kernel(const float* values, float* out) { atomic_max(out, values[blockIdx.x * blockDim.x + threadIdx.x]); }
extern "C" void maximum(const float* values, float* out) { maximum_kernel<<<4, 64>>>(values, out); }

// The last block to finish sums what all blocks wrote.
__device__ unsigned finished;
__global__ void last_block_kernel(const float* values, float* partial, float* out) {
    __shared__ float sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, values[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float total = 0;
        for (int i = 0; i < gridDim.x; ++i) total += partial[i];
        out[0] = total;
    }
}
extern "C" void last_block(const float* values, float* partial, float* out) { last_block_kernel<<<8, 32>>>(values, partial, out); }

__global__ void vector_kernel(float4* sums, float2* pairs) {
    float x = threadIdx.x;
    atomicAdd(sums, make_float4(x, 2 * x, 3 * x, 4 * x));
    atomicAdd(pairs, make_float2(x, 1));
}
extern "C" void vector(float4* sums, float2* pairs) { vector_kernel<<<1, 32>>>(sums, pairs); }
