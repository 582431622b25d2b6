#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

namespace cs = cuda::std;

template <typename T>
using In = cs::span<const T>;
template <typename T>
using Out = cs::span<T>;

[[nodiscard]] __device__ cs::optional<cs::size_t> position(cs::size_t n) noexcept {
    const cs::size_t i = cs::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) return i;
    return cs::nullopt;
}

template <typename T, cs::size_t... I>
__device__ T product_of(const cs::array<T, sizeof...(I)>& factors, cs::index_sequence<I...>) {
    return (factors[I] * ...);
}

template <typename T>
__global__ void multiply_kernel(In<T> a, In<T> b, Out<T> out) {
    static_assert(cs::is_floating_point_v<T>, "a floating type");
    const auto i = position(out.size());
    if (!i) return;
    out[*i] = product_of(cs::array<T, 2>{a[*i], b[*i]}, cs::make_index_sequence<2>{});
}

template <typename T>
__global__ void muladd_kernel(In<T> a, In<T> b, In<T> c, Out<T> out) {
    if (const auto i = position(out.size()); i.has_value()) {
        const auto [x, y, z] = cs::make_tuple(a[i.value()], b[i.value()], c[i.value()]);
        out[i.value()] = cs::fma(x, y, z);
    }
}

constexpr unsigned kThreads = 192;

}  // namespace

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const auto size = static_cast<cs::size_t>(n);
    const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
    multiply_kernel<T><<<blocks, kThreads, 0, stream>>>({a, size}, {b, size}, {out, size});
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const auto size = static_cast<cs::size_t>(n);
    const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
    muladd_kernel<T><<<blocks, kThreads, 0, stream>>>(In<T>(a, size), In<T>(b, size), In<T>(c, size), Out<T>(out, size));
}

template void launch_multiply(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd(const float*, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_muladd(const double*, const double*, const double*, double*, int64_t, cudaStream_t);
