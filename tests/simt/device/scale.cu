// y[i] = factor * x[i]: the kernel that the device's tests call through every kind of binding.
#include <cuda_runtime.h>

template <typename T>
__global__ void scale(const T* __restrict__ x, T* __restrict__ y, T factor, long n) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = factor * x[i];
    }
}

template <typename T>
void launch_scale(const T* x, T* y, double factor, long n, cudaStream_t stream) {
    if (n > 0) {
        scale<<<(n + 127) / 128, 128, 0, stream>>>(x, y, static_cast<T>(factor), n);
    }
}

template void launch_scale(const float*, float*, double, long, cudaStream_t);
template void launch_scale(const double*, double*, double, long, cudaStream_t);
