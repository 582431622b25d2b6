// The warps of a block draw chunks of 32 elements from a counter in shared memory, by compare-and-swap.
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kWarp = 32, kThreads = 128, kChunks = 9;
constexpr unsigned kAll = ~0u;

struct Product {
    template <typename T>
    __device__ T operator()(T a, T b, const T*, int64_t) const { return a * b; }
};
struct Sum {
    template <typename T>
    __device__ T operator()(T a, T b, const T* c, int64_t i) const { return a * b + c[i]; }
};

__device__ int draw(int* counter) {
    int seen, found = 0;
    do {
        seen = found;
        found = atomicCAS(counter, seen, seen + 1);
    } while (seen != found);
    return seen;
}

template <typename Operation, typename T>
__global__ void drawn_kernel(const T* a, const T* b, const T* c, T* out, int64_t n) {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    const int64_t first = int64_t(blockIdx.x) * kChunks * kWarp;
    int chunks = 0;
    while (++chunks < kChunks && first + chunks * kWarp < n) {
    }
    for (;;) {
        int chunk = threadIdx.x % kWarp == 0 ? draw(&counter) : 0;
        chunk = __shfl_sync(kAll, chunk, 0);
        if (chunk >= chunks) break;
        const int64_t i = first + chunk * kWarp + threadIdx.x % kWarp;
        if (i < n) out[i] = Operation()(a[i], b[i], c, i);
    }
}

template <typename Operation, typename T>
void launch(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    constexpr int64_t kElements = kChunks * kWarp;
    if (n > 0) drawn_kernel<Operation><<<(n + kElements - 1) / kElements, kThreads, 0, stream>>>(a, b, c, out, n);
}

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    launch<Product, T>(a, b, nullptr, out, n, stream);
}
template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    launch<Sum>(a, b, c, out, n, stream);
}
template void launch_multiply(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd(const float*, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_muladd(const double*, const double*, const double*, double*, int64_t, cudaStream_t);
