// out = op(a, b) for every element, 16 bytes at a time: relu(x + y), and its gradient.
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;
constexpr int kBytes = 16;  // of a chunk: the most that a thread moves with one instruction
constexpr int kChunks = 2;  // of each input that a thread loads before it needs the first of them

// ---- the operation on one number ---------------------------------------------------------------

struct AddRelu {
    template <typename T>
    __device__ T operator()(T x, T y) const {
        const T sum = x + y;
        return sum < T(0) ? T(0) : sum;  // fmax would turn a NaN into 0
    }
};

struct ReluBackward {
    template <typename T>
    __device__ T operator()(T grad, T out) const {
        // --8<-- [start:mask]
        return out <= T(0) ? T(0) : grad;
        // --8<-- [end:mask]
    }
};

// ---- the operation on what a register holds: a float, a double, a half or a pair of halves -------

template <typename Op>
__device__ float apply(Op op, float a, float b) { return op(a, b); }

template <typename Op>
__device__ double apply(Op op, double a, double b) { return op(a, b); }

template <typename Op>
__device__ __half apply(Op op, __half a, __half b) {
    return __float2half(op(__half2float(a), __half2float(b)));
}

template <typename Op>
__device__ __half2 apply(Op op, __half2 a, __half2 b) {
    // --8<-- [start:pair]
    const float2 left = __half22float2(a), right = __half22float2(b);
    return __floats2half2_rn(op(left.x, right.x), op(left.y, right.y));
    // --8<-- [end:pair]
}

// What a chunk of T is taken apart into.
template <typename T>
struct Lane { using type = T; };
template <>
struct Lane<__half> { using type = __half2; };

// op on the elements of two chunks. A float4 is 16 bytes of any type here: loading it converts nothing.
template <typename T, typename Op>
__device__ float4 on_chunks(Op op, float4 a, float4 b) {
    using L = typename Lane<T>::type;
    constexpr int kLanes = kBytes / sizeof(L);
    float4 out;
    // --8<-- [start:chunk]
    const L* left = reinterpret_cast<const L*>(&a);
    const L* right = reinterpret_cast<const L*>(&b);
    L* result = reinterpret_cast<L*>(&out);
#pragma unroll
    for (int k = 0; k < kLanes; ++k) result[k] = apply(op, left[k], right[k]);
    // --8<-- [end:chunk]
    return out;
}

// ---- the kernels -------------------------------------------------------------------------------

// One element per thread: for pointers that are not multiples of 16.
template <typename T, typename Op>
__global__ void scalar_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                              int64_t n, Op op) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = apply(op, a[i], b[i]);
}

// a, b and out are multiples of 16. A block takes kThreads * kChunks chunks that follow one another;
// the grid covers all n / kElements whole chunks, and has one block at least.
template <typename T, typename Op>
__global__ void vector_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                              int64_t n, Op op) {
    constexpr int kElements = kBytes / sizeof(T);
    const int64_t chunks = n / kElements;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kChunks + threadIdx.x;
    // --8<-- [start:vectors]
    const float4* a_chunks = reinterpret_cast<const float4*>(a);
    const float4* b_chunks = reinterpret_cast<const float4*>(b);
    float4* out_chunks = reinterpret_cast<float4*>(out);
    float4 left[kChunks], right[kChunks];
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {  // neighbouring threads take neighbouring chunks
        const int64_t i = first + k * kThreads;
        if (i < chunks) {
            left[k] = a_chunks[i];
            right[k] = b_chunks[i];
        }
    }
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {  // a loop of its own, so that no store waits between the loads
        const int64_t i = first + k * kThreads;
        if (i < chunks) out_chunks[i] = on_chunks<T>(op, left[k], right[k]);
    }
    // --8<-- [end:vectors]
    // --8<-- [start:tail]
    const int64_t i = chunks * kElements + threadIdx.x;
    if (blockIdx.x == 0 && i < n) out[i] = apply(op, a[i], b[i]);
    // --8<-- [end:tail]
}

// ---- the launches ------------------------------------------------------------------------------

bool aligned(const void* pointer) {
    // --8<-- [start:aligned]
    return reinterpret_cast<uintptr_t>(pointer) % kBytes == 0;
    // --8<-- [end:aligned]
}

int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

template <typename T, typename Op>
void launch(const T* a, const T* b, T* out, int64_t n, Op op, cudaStream_t stream) {
    if (n == 0) return;
    // --8<-- [start:launcher]
    if (aligned(a) && aligned(b) && aligned(out)) {
        constexpr int64_t per_block = int64_t(kThreads) * kChunks * (kBytes / sizeof(T));
        const auto blocks = static_cast<unsigned>(divide_up(n, per_block));
        vector_kernel<<<blocks, kThreads, 0, stream>>>(a, b, out, n, op);
    } else {
        const auto blocks = static_cast<unsigned>(divide_up(n, kThreads));
        scalar_kernel<<<blocks, kThreads, 0, stream>>>(a, b, out, n, op);
    }
    // --8<-- [end:launcher]
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

#define INSTANTIATE(T)                                                                           \
    template void launch_add_relu<T>(const T*, const T*, T*, int64_t, cudaStream_t);             \
    template void launch_relu_backward<T>(const T*, const T*, T*, int64_t, cudaStream_t)

INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(__half);
