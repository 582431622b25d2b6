#include <algorithm>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <utility>

namespace {

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T lanes[N];
};

template <typename T>
constexpr int kLanes = 16 / static_cast<int>(sizeof(T));

template <typename T>
__device__ __forceinline__ bool positive(T value) {
    return value > T(0);
}
template <>
__device__ __forceinline__ bool positive<__half>(__half value) {
    return __hgt(value, __float2half_rn(0.0f));
}
template <typename T>
__device__ __forceinline__ bool unordered(T value) {
    return value != value;
}
template <>
__device__ __forceinline__ bool unordered<__half>(__half value) {
    return __hisnan(value);
}
template <typename T>
__device__ __forceinline__ T add(T a, T b) {
    return a + b;
}
template <>
__device__ __forceinline__ __half add<__half>(__half a, __half b) {
    return __float2half(__half2float(a) + __half2float(b));
}

struct AddRelu {
    template <typename T>
    __device__ T operator()(T x, T y) const {
        const T sum = add(x, y);
        return positive(sum) || unordered(sum) ? sum : T(0.0f);
    }
};
struct Gate {
    template <typename T>
    __device__ T operator()(T grad, T out) const {
        return positive(out) || unordered(out) ? grad : T(0.0f);
    }
};

template <typename T, int N, typename Op>
__global__ void packs(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t n, Op op) {
    using P = Pack<T, N>;
    const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, whole = n / N;
    if (at < whole) {
        const P left = reinterpret_cast<const P*>(a)[at], right = reinterpret_cast<const P*>(b)[at];
        P result;
#pragma unroll
        for (int lane = 0; lane < N; ++lane) result.lanes[lane] = op(left.lanes[lane], right.lanes[lane]);
        reinterpret_cast<P*>(out)[at] = result;
    } else if (const int64_t rest = whole * N + (at - whole); rest < n) {
        out[rest] = op(a[rest], b[rest]);
    }
}

template <typename... Pointers>
bool all_aligned(const Pointers*... pointers) {
    return ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

template <typename Op, typename T>
void elementwise(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int64_t threads = 256;
    const auto grid = [](int64_t work) { return static_cast<unsigned>((work + threads - 1) / threads); };
    if (all_aligned(a, b, out)) {
        packs<T, kLanes<T>><<<grid(n / kLanes<T> + n % kLanes<T>), threads, 0, stream>>>(a, b, out, n, Op{});
    } else {
        packs<T, 1><<<grid(n), threads, 0, stream>>>(a, b, out, n, Op{});
    }
}

}  // namespace

template <typename T>
void launch_add_relu(const T* x, const T* y, T* out, int64_t n, cudaStream_t stream) {
    elementwise<AddRelu>(x, y, out, n, stream);
}
template <typename T>
void launch_relu_backward(const T* grad, const T* out, T* grad_in, int64_t n, cudaStream_t stream) {
    elementwise<Gate>(grad, out, grad_in, n, stream);
}

#define INSTANTIATE(T)                                                             \
    template void launch_add_relu<T>(const T*, const T*, T*, int64_t, cudaStream_t); \
    template void launch_relu_backward<T>(const T*, const T*, T*, int64_t, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(__half);
