// libcu++: cuda::std on the device, a span over rows, cuda::atomic_ref.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda_runtime.h>

__global__ void largest(const float* x, int* count, float* out, int n) {
    cuda::std::array<float, 2> seen{-cuda::std::numeric_limits<float>::infinity(), 0.0f};
    for (int i = threadIdx.x; i < n; i += blockDim.x) seen[0] = x[i] > seen[0] ? x[i] : seen[0];
    cuda::atomic_ref<int, cuda::thread_scope_device> counter(*count);
    counter.fetch_add(1, cuda::memory_order_relaxed);
    out[threadIdx.x] = seen[0];
}

void run(const float* x, int* count, float* out, int n) { largest<<<1, 32>>>(x, count, out, n); }
