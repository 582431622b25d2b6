#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/utility>
#include <cuda_runtime.h>

namespace ops {

struct product {
    template <class T>
    [[nodiscard]] __device__ constexpr T operator()(T a, T b) const {
        return a * b;
    }
};

struct fused {
    template <class T>
    [[nodiscard]] __device__ T operator()(T a, T b, T c) const {
        return cuda::std::fma(a, b, c);
    }
};

}  // namespace ops

template <class Op, class T, class... In>
__global__ __launch_bounds__(512) void apply(Op op, cuda::std::int64_t n, T* __restrict__ out, const In* __restrict__... in) {
    const auto i = cuda::std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) out[i] = op(in[i]...);
}

template <class Op, class T, class... In>
inline void run(Op op, int64_t n, cudaStream_t stream, T* out, const In*... in) {
    if (const auto blocks = static_cast<unsigned>((n + 511) / 512); blocks > 0) {
        apply<<<blocks, 512, 0, stream>>>(op, n, out, in...);
    }
}

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    run(ops::product{}, n, stream, out, a, b);
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    run(ops::fused{}, n, stream, out, a, b, c);
}

template void launch_multiply(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd(const float*, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_muladd(const double*, const double*, const double*, double*, int64_t, cudaStream_t);
