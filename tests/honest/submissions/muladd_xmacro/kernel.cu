#include <cassert>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>

#define FOR_EACH_DTYPE(X) X(float) X(double)
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

namespace {

template <typename index_t>
__device__ __forceinline__ index_t global_index() {
    return static_cast<index_t>(blockIdx.x) * static_cast<index_t>(blockDim.x) + static_cast<index_t>(threadIdx.x);
}

#define DEFINE_KERNEL(name, parameters, expression)                                              \
    template <typename T, typename index_t>                                                      \
    __global__ void name##_kernel parameters {                                                   \
        static_assert(std::is_floating_point_v<T>, #name " is for floating point");              \
        const auto i = global_index<index_t>();                                                  \
        if (i < n) out[i] = (expression);                                                        \
    }

DEFINE_KERNEL(multiply, (const T* a, const T* b, T* out, index_t n), a[i] * b[i])
DEFINE_KERNEL(muladd, (const T* a, const T* b, const T* c, T* out, index_t n), a[i] * b[i] + c[i])

constexpr unsigned kBlock = 192;

bool fits_32_bits(int64_t n) { return n + kBlock < std::numeric_limits<int32_t>::max(); }

}  // namespace

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    assert(n >= 0);
    if (n == 0) return;
    const auto grid = static_cast<unsigned>(CEIL_DIV(n, kBlock));
    if (fits_32_bits(n)) {
        multiply_kernel<T, int32_t><<<grid, kBlock, 0, stream>>>(a, b, out, static_cast<int32_t>(n));
    } else {
        multiply_kernel<T, int64_t><<<grid, kBlock, 0, stream>>>(a, b, out, n);
    }
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    assert(n >= 0);
    if (n == 0) return;
    const auto grid = static_cast<unsigned>(CEIL_DIV(n, kBlock));
    if (fits_32_bits(n)) {
        muladd_kernel<T, int32_t><<<grid, kBlock, 0, stream>>>(a, b, c, out, static_cast<int32_t>(n));
    } else {
        muladd_kernel<T, int64_t><<<grid, kBlock, 0, stream>>>(a, b, c, out, n);
    }
}

#define INSTANTIATE(T)                                                                     \
    template void launch_multiply<T>(const T*, const T*, T*, int64_t, cudaStream_t);       \
    template void launch_muladd<T>(const T*, const T*, const T*, T*, int64_t, cudaStream_t);
FOR_EACH_DTYPE(INSTANTIATE)
#undef INSTANTIATE
