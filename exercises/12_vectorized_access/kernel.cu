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
        // TODO(mask): the gradient of the sum: grad where relu let the sum pass, otherwise 0, about 1 line.
        return grad;
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
    // TODO(pair): op on both halves, computed in float, about 2 lines.
    return a;
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
    // TODO(chunk): take a, b and out apart into lanes of type L, and apply op to each pair of lanes,
    //   about 5 lines.
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
    // TODO(vectors): load all kChunks chunks of a and of b, then compute and store; no thread beyond
    //   `chunks`, about 17 lines.
    // TODO(tail): the n % kElements elements after the last whole chunk, each by one thread of one
    //   block, about 2 lines.
}

// ---- the launches ------------------------------------------------------------------------------

bool aligned(const void* pointer) {
    // TODO(aligned): whether the address is a multiple of kBytes, about 1 line.
    return false;
}

int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

template <typename T, typename Op>
void launch(const T* a, const T* b, T* out, int64_t n, Op op, cudaStream_t stream) {
    if (n == 0) return;
    // TODO(launcher): launch vector_kernel if all three pointers are aligned, scalar_kernel otherwise,
    //   about 8 lines.
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
