#include <cstdint>
#include <cuda/std/span>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <vector_types.h>

namespace {

template <typename T>
using In = cuda::std::span<const T>;
template <typename T>
using Out = cuda::std::span<T>;

struct Fma {
    template <typename T>
    __device__ T operator()(T a, T b, T c) const {
        return ::fma(a, b, c);
    }
};
struct Mul {
    template <typename T>
    __device__ T operator()(T a, T b, T) const {
        return a * b;
    }
};

template <typename T, typename Op>
__global__ void __launch_bounds__(256) each(In<T> a, In<T> b, In<T> c, Out<T> out, Op op) {
    const auto step = static_cast<size_t>(gridDim.x) * blockDim.x;
#pragma unroll 2
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < out.size(); i += step) {
        out[i] = op(a[i], b[i], c.empty() ? T{} : c[i]);
    }
}

template <typename T, typename Op>
void start(const T* a, const T* b, const T* c, T* out, int64_t n, Op op, cudaStream_t stream) {
    if (n <= 0) return;
    const auto size = static_cast<size_t>(n);
    const auto grid = static_cast<unsigned>((n + 511) / 512);
    each<<<grid, 256, 0, stream>>>(In<T>(a, size), In<T>(b, size), c ? In<T>(c, size) : In<T>(), Out<T>(out, size), op);
}

}  // namespace

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    start<T>(a, b, nullptr, out, n, Mul{}, stream);
}
template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    start<T>(a, b, c, out, n, Fma{}, stream);
}

template void launch_multiply(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd(const float*, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_muladd(const double*, const double*, const double*, double*, int64_t, cudaStream_t);
