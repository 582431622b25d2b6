// Variables of the device where no section can hold them: templates, and statics of device functions.
#include <cstdint>
#include <cuda_runtime.h>

namespace {

template <typename T>
__device__ T weights[4];

__device__ unsigned int next_ticket() {
    static unsigned int tickets;
    return atomicAdd(&tickets, 1u);
}

template <typename T>
__global__ void counted(const T* in, T* out, int64_t n) {
    static __device__ unsigned int launches;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i == 0) {
        atomicAdd(&launches, 1u);
        next_ticket();
    }
    if (i < n) out[i] = in[i] + weights<T>[i % 4];
}

}  // namespace

void launch_counted(const float* in, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) counted<float><<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}
