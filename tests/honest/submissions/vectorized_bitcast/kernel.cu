#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector_types.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace {

template <typename T>
struct alignas(16) Vec {
    static constexpr int kSize = 16 / sizeof(T);
    T values[kSize];
};

template <typename T>
union Register {
    uint4 raw;
    T lanes[16 / sizeof(T)];
    __device__ Register() {}
};

enum class Op { kAddRelu, kReluBackward };

template <Op op, typename T>
__device__ __forceinline__ T combine(T a, T b) {
    if constexpr (std::is_same_v<T, __half>) {
        const float x = __half2float(a), y = __half2float(b);
        return __float2half_rn(combine<op, float>(x, y));
    } else if constexpr (op == Op::kAddRelu) {
        const T sum = a + b;
        return sum < T(0) ? T(0) : sum;
    } else {
        return b <= T(0) ? T(0) : a;
    }
}

template <Op op, typename T>
__global__ void __launch_bounds__(256) vectors(const uint4* __restrict__ a, const uint4* __restrict__ b, uint4* __restrict__ out,
                                               int64_t vectors_, int64_t n) {
    constexpr int kLanes = Vec<T>::kSize;
    const int64_t tid = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (tid < vectors_) {
        Register<T> x, y, z;
        x.raw = __ldg(a + tid);
        y.raw = __ldg(b + tid);
#pragma unroll
        for (int k = 0; k < kLanes; ++k) z.lanes[k] = combine<op>(x.lanes[k], y.lanes[k]);
        out[tid] = z.raw;
    }
    const int64_t tail = vectors_ * kLanes + tid;
    if (tail < n) {
        reinterpret_cast<T*>(out)[tail] = combine<op>(reinterpret_cast<const T*>(a)[tail], reinterpret_cast<const T*>(b)[tail]);
    }
}

template <Op op, typename T>
__global__ void scalars(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int64_t n) {
    const int64_t tid = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (tid < n) out[tid] = combine<op>(a[tid], b[tid]);
}

template <typename... P>
bool aligned(P... p) {
    return ((reinterpret_cast<uintptr_t>(p) | ...) & (alignof(uint4) - 1)) == 0;
}

template <Op op, typename T>
void run(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int kThreads = 256;
    if (aligned(a, b, out)) {
        const int64_t count = n / Vec<T>::kSize;
        const int64_t work = count > Vec<T>::kSize ? count : Vec<T>::kSize;
        vectors<op, T><<<static_cast<unsigned>((work + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
            reinterpret_cast<const uint4*>(a), reinterpret_cast<const uint4*>(b), reinterpret_cast<uint4*>(out), count, n);
    } else {
        scalars<op, T><<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(a, b, out, n);
    }
}

}  // namespace

template <typename T>
void launch_add_relu(const T* x, const T* y, T* out, int64_t n, cudaStream_t stream) {
    run<Op::kAddRelu>(x, y, out, n, stream);
}

template <typename T>
void launch_relu_backward(const T* grad, const T* out, T* grad_in, int64_t n, cudaStream_t stream) {
    run<Op::kReluBackward>(grad, out, grad_in, n, stream);
}

template void launch_add_relu<float>(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_add_relu<double>(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_add_relu<__half>(const __half*, const __half*, __half*, int64_t, cudaStream_t);
template void launch_relu_backward<float>(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_relu_backward<double>(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_relu_backward<__half>(const __half*, const __half*, __half*, int64_t, cudaStream_t);
