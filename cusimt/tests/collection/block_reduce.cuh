#pragma once
// A header-only library of one function, as many projects carry it along: reductions over a warp and over a block.

namespace blockwise {

struct Sum {
    template <class T> __device__ __forceinline__ T operator()(const T& a, const T& b) const { return a + b; }
};
struct Max {
    template <class T> __device__ __forceinline__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

template <int Width = 32, class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op) {
    static_assert((Width & (Width - 1)) == 0 && Width <= 32, "Width is a power of two");
#pragma unroll
    for (int offset = Width >> 1; offset >= 1; offset >>= 1)
        value = op(value, __shfl_xor_sync(0xffffffffu, value, offset, Width));
    return value;
}

// The result is valid in every thread. Blocks of whole warps only.
template <class T, class Op>
__device__ T block_reduce(T value, Op op, T identity) {
    __shared__ T partial[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    value = warp_reduce(value, op);
    __syncthreads();  // an earlier call's partial sums have been read
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    value = lane < (blockDim.x >> 5) ? partial[lane] : identity;
    return warp_reduce(value, op);
}

// What a project's own wrapper around a launch looks like, in a header.
template <class T, class Op>
__global__ void reduce_rows_kernel(const T* __restrict__ in, T* __restrict__ out, int cols, Op op, T identity) {
    T value = identity;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) value = op(value, in[blockIdx.x * cols + c]);
    value = block_reduce(value, op, identity);
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

template <class T, class Op>
inline void reduce_rows(const T* in, T* out, int rows, int cols, Op op, T identity, cudaStream_t stream = 0) {
    const int threads = cols >= 128 ? 128 : 32;
    reduce_rows_kernel<T, Op><<<rows, threads, 0, stream>>>(in, out, cols, op, identity);
}

}  // namespace blockwise
