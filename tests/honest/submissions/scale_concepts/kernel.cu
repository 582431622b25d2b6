#include <array>
#include <concepts>
#include <cstdint>
#include <cuda_runtime.h>
#include <tuple>
#include <type_traits>
#include <utility>

namespace first::detail {

template <typename T>
concept Arithmetic = std::is_arithmetic_v<T>;

enum class Axis : std::uint8_t { x, y, z };

constexpr std::int64_t operator""_threads(unsigned long long n) { return static_cast<std::int64_t>(n); }

template <std::integral I>
[[nodiscard]] constexpr I ceil_div(I a, I b) noexcept {
    return (a + b - I{1}) / b;
}

template <Arithmetic T>
struct View {
    T* begin_;
    std::int64_t size_;
    __device__ T& operator[](std::int64_t i) const { return begin_[i]; }
    __host__ __device__ constexpr std::int64_t size() const { return size_; }
};

template <Axis axis = Axis::x>
__device__ std::int64_t global_index() {
    if constexpr (axis == Axis::x) {
        return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    } else if constexpr (axis == Axis::y) {
        return static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    } else {
        return static_cast<std::int64_t>(blockIdx.z) * blockDim.z + threadIdx.z;
    }
}

template <Arithmetic T>
__global__ void scale(View<const T> x, T alpha, View<T> y) {
    if (const auto i = global_index(); i < y.size()) y[i] = alpha * x[i];
}

auto shape_for(std::int64_t n) {
    constexpr auto threads = 256_threads;
    return std::pair{static_cast<unsigned>(ceil_div(n, threads)), static_cast<unsigned>(threads)};
}

}  // namespace first::detail

void launch_scale(const float* x, float alpha, float* y, int64_t n, cudaStream_t stream) {
    using namespace first::detail;
    if (n <= 0) return;
    const auto [blocks, threads] = shape_for(n);
    scale<float><<<blocks, threads, 0, stream>>>(View<const float>{x, n}, alpha, View<float>{y, n});
}
