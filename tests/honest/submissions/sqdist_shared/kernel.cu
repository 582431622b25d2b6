#include <cuda_runtime.h>
#include <cuda/std/cstdint>
#include <cstdint>

namespace {

struct Problem { int64_t batch, n, m, d; };

template <typename T>
__device__ __forceinline__ T square(T x) { return x * x; }

template <typename T>
__global__ void distances(const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ out, Problem p) {
    const int64_t total = p.batch * p.n * p.m;
    for (int64_t e = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; e < total; e += int64_t(gridDim.x) * blockDim.x) {
        const int64_t j = e % p.m, i = e / p.m % p.n, b = e / p.m / p.n;
        const T *px = x + (b * p.n + i) * p.d, *const end = px + p.d, *py = y + (b * p.m + j) * p.d;
        T sum = 0;
        while (px != end) sum += square(*px++ - *py++);
        out[e] = sum;
    }
}

template <typename T>
__global__ void gradient(const T* __restrict__ grad, const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ grad_x, Problem p) {
    const int64_t total = p.batch * p.n * p.d;
    const int64_t e = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (e >= total) return;
    const int64_t k = e % p.d, row = e / p.d, b = row / p.n;
    const T mine = x[e];
    T sum = 0;
    for (int64_t j = 0; j < p.m; ++j) sum = fma(grad[row * p.m + j], mine - y[(b * p.m + j) * p.d + k], sum);
    grad_x[e] = sum + sum;
}

}  // namespace

template <typename T>
void launch_sqdist(const T* x, const T* y, T* out, int64_t batch, int64_t n, int64_t m, int64_t d, cudaStream_t stream) {
    const Problem p = {.batch = batch, .n = n, .m = m, .d = d};
    if (const int64_t work = batch * n * m; work > 0) {
        distances<T><<<static_cast<unsigned>((work + 127) / 128), 128, 0, stream>>>(x, y, out, p);
    }
}

template <typename T>
void launch_sqdist_backward(const T* grad, const T* x, const T* y, T* grad_x, int64_t batch, int64_t n, int64_t m, int64_t d, cudaStream_t stream) {
    const Problem p = {.batch = batch, .n = n, .m = m, .d = d};
    if (const int64_t work = batch * n * d; work > 0) {
        gradient<T><<<static_cast<unsigned>((work + 127) / 128), 128, 0, stream>>>(grad, x, y, grad_x, p);
    }
}

#define INSTANTIATE(T) \
    template void launch_sqdist<T>(const T*, const T*, T*, int64_t, int64_t, int64_t, int64_t, cudaStream_t); \
    template void launch_sqdist_backward<T>(const T*, const T*, const T*, T*, int64_t, int64_t, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
