#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace at_like {
namespace {

constexpr int num_threads() { return C10_WARP_SIZE * 4; }
constexpr int thread_work_size = 4;
constexpr int block_work_size = num_threads() * thread_work_size;

template <int N>
struct OffsetCalculator {
    C10_HOST_DEVICE int64_t get(int64_t linear) const { return linear; }
};

template <typename func_t, typename scalar_t, typename... Args>
C10_LAUNCH_BOUNDS_1(num_threads())
__global__ void elementwise_kernel(int64_t n, func_t f, scalar_t* C10_RESTRICT out, Args... args) {
    const OffsetCalculator<1> offsets;
    int64_t index = int64_t(block_work_size) * blockIdx.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < thread_work_size; ++i) {
        if (index < n) {
            out[offsets.get(index)] = f(args[offsets.get(index)]...);
            index += num_threads();
        }
    }
}

template <typename func_t, typename scalar_t, typename... Args>
void launch(int64_t n, cudaStream_t stream, const func_t& f, scalar_t* out, Args... args) {
    if (n == 0) return;
    TORCH_INTERNAL_ASSERT(n > 0);
    const int64_t grid = (n + block_work_size - 1) / block_work_size;
    elementwise_kernel<<<static_cast<unsigned>(grid), num_threads(), 0, stream>>>(n, f, out, args...);
}

template <typename T>
struct MulFunctor {
    C10_DEVICE T operator()(T a, T b) const { return a * b; }
};

}  // namespace
}  // namespace at_like

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    at_like::launch(n, stream, at_like::MulFunctor<T>(), out, a, b);
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    at_like::launch(n, stream, [] C10_DEVICE(T x, T y, T z) -> T { return x * y + z; }, out, a, b, c);
}

#define INSTANTIATE(T)                                                              \
    template void launch_multiply<T>(const T*, const T*, T*, int64_t, cudaStream_t); \
    template void launch_muladd<T>(const T*, const T*, const T*, T*, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE
