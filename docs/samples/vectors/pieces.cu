// Four chunks of 16 bytes per thread that follow one another: vectors, but not coalesced.
// Stands in for kernel.cu of exercise 12.
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;

struct AddRelu {
    template <typename T>
    __device__ T operator()(T x, T y) const {
        const T sum = x + y;
        return sum < T(0) ? T(0) : sum;
    }
};

struct ReluBackward {
    template <typename T>
    __device__ T operator()(T grad, T out) const { return out <= T(0) ? T(0) : grad; }
};

template <typename T, typename Op>
__device__ T apply(Op op, T a, T b) { return op(a, b); }

template <typename Op>
__device__ __half apply(Op op, __half a, __half b) {
    return __float2half(op(__half2float(a), __half2float(b)));
}

template <typename Op>
__device__ __half2 apply(Op op, __half2 a, __half2 b) {
    const float2 left = __half22float2(a), right = __half22float2(b);
    return __floats2half2_rn(op(left.x, right.x), op(left.y, right.y));
}

template <typename T>
struct Lane { using type = T; };
template <>
struct Lane<__half> { using type = __half2; };

template <typename T, typename Op>
__device__ float4 on_chunks(Op op, float4 a, float4 b) {
    using L = typename Lane<T>::type;
    float4 out;
    const L* left = reinterpret_cast<const L*>(&a);
    const L* right = reinterpret_cast<const L*>(&b);
    L* result = reinterpret_cast<L*>(&out);
#pragma unroll
    for (int k = 0; k < int(16 / sizeof(L)); ++k) result[k] = apply(op, left[k], right[k]);
    return out;
}


template <typename T, typename Op>
__global__ void scalar_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                              int64_t n, Op op) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = apply(op, a[i], b[i]);
}

constexpr int kPiece = 4;

template <typename T, typename Op>
__global__ void vector_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                              int64_t n, Op op) {
    constexpr int kElements = 16 / sizeof(T);
    const int64_t chunks = n / kElements;
    const float4* a_chunks = reinterpret_cast<const float4*>(a);
    const float4* b_chunks = reinterpret_cast<const float4*>(b);
    float4* out_chunks = reinterpret_cast<float4*>(out);
    // --8<-- [start:kernel]
    const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kPiece;
#pragma unroll
    for (int k = 0; k < kPiece; ++k) {
        const int64_t i = first + k;  // neighbouring threads are 64 bytes apart
        if (i < chunks) out_chunks[i] = on_chunks<T>(op, a_chunks[i], b_chunks[i]);
    }
    // --8<-- [end:kernel]
    const int64_t last = chunks * kElements + threadIdx.x;
    if (blockIdx.x == 0 && last < n) out[last] = apply(op, a[last], b[last]);
}

int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

template <typename T, typename Op>
void launch(const T* a, const T* b, T* out, int64_t n, Op op, cudaStream_t stream) {
    if (n == 0) return;
    if ((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) |
         reinterpret_cast<uintptr_t>(out)) % 16 != 0) {
        const auto blocks = static_cast<unsigned>(divide_up(n, kThreads));
        scalar_kernel<<<blocks, kThreads, 0, stream>>>(a, b, out, n, op);
        return;
    }
    const auto blocks = static_cast<unsigned>(divide_up(n, kThreads * kPiece * (16 / sizeof(T))));
    vector_kernel<<<blocks, kThreads, 0, stream>>>(a, b, out, n, op);
}

}  // namespace

template <typename T>
void launch_add_relu(const T* x, const T* y, T* out, int64_t n, cudaStream_t stream) {
    launch(x, y, out, n, AddRelu{}, stream);
}

template <typename T>
void launch_relu_backward(const T* grad, const T* out, T* grad_in, int64_t n, cudaStream_t stream) {
    launch(grad, out, grad_in, n, ReluBackward{}, stream);
}

#define INSTANTIATE(T)                                                               \
    template void launch_add_relu<T>(const T*, const T*, T*, int64_t, cudaStream_t); \
    template void launch_relu_backward<T>(const T*, const T*, T*, int64_t, cudaStream_t)

INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(__half);
