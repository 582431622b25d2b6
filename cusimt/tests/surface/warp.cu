// Warp intrinsics: every launcher runs one warp unless it says otherwise.
#include <cuda_runtime.h>

__global__ void shuffle_kernel(int kind, int operand, int width, const int* in, int* out) {
    int lane = threadIdx.x, value = in[lane];
    if (kind == 0) out[lane] = __shfl_sync(0xffffffff, value, operand, width);
    if (kind == 1) out[lane] = __shfl_up_sync(0xffffffff, value, operand, width);
    if (kind == 2) out[lane] = __shfl_down_sync(0xffffffff, value, operand, width);
    if (kind == 3) out[lane] = __shfl_xor_sync(0xffffffff, value, operand, width);
}
extern "C" void shuffle(int kind, int operand, int width, const int* in, int* out) {
    shuffle_kernel<<<1, 32>>>(kind, operand, width, in, out);
}

template <typename T>
__global__ void rotate_kernel(const T* in, T* out) {
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    out[threadIdx.x] = __shfl_sync(0xffffffff, in[threadIdx.x], (lane + 1 + warp) % 32);
}
extern "C" void rotate_int(const int* in, int* out) { rotate_kernel<<<1, 64>>>(in, out); }
extern "C" void rotate_double(const double* in, double* out) { rotate_kernel<<<1, 64>>>(in, out); }
extern "C" void rotate_float(const float* in, float* out) { rotate_kernel<<<1, 64>>>(in, out); }
extern "C" void rotate_long_long(const long long* in, long long* out) { rotate_kernel<<<1, 64>>>(in, out); }
extern "C" void rotate_unsigned_long(const unsigned long* in, unsigned long* out) { rotate_kernel<<<1, 64>>>(in, out); }
extern "C" void rotate_short(const short* in, short* out) { rotate_kernel<<<1, 64>>>(in, out); }

// Odd lanes and even lanes shuffle among themselves, in different branches.
__global__ void divergent_kernel(const int* in, int* out) {
    int lane = threadIdx.x;
    if (lane & 1)
        out[lane] = __shfl_sync(0xaaaaaaaa, in[lane], 31);
    else
        out[lane] = __shfl_xor_sync(0x55555555, in[lane], 2);
}
extern "C" void divergent(const int* in, int* out) { divergent_kernel<<<1, 32>>>(in, out); }

// Sum of a block of any size: the last warp may be partial.
__global__ void block_sum_kernel(const float* in, float* out, int n) {
    __shared__ float sums[32];
    int i = threadIdx.x, lane = i % 32;
    float value = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    if (lane == 0) sums[i / 32] = value;
    __syncthreads();
    if (i == 0) {
        float total = 0;
        for (int warp = 0; warp * 32 < blockDim.x; ++warp) total += sums[warp];
        out[0] = total;
    }
}
extern "C" void block_sum(const float* in, float* out, int n) { block_sum_kernel<<<1, (n + 31) / 32 * 32>>>(in, out, n); }

__global__ void vote_kernel(const int* in, unsigned* out) {
    int lane = threadIdx.x;
    out[lane] = __ballot_sync(0xffffffff, in[lane] > 0);
    out[32 + lane] = __any_sync(0xffffffff, in[lane] > 100);
    out[64 + lane] = __all_sync(0xffffffff, in[lane] > -100);
    out[96 + lane] = lane < 8 ? __ballot_sync(0xff, in[lane] > 0) : __ballot_sync(0xffffff00, in[lane] < 0);
}
extern "C" void vote(const int* in, unsigned* out) { vote_kernel<<<1, 32>>>(in, out); }

template <typename T>
__global__ void match_kernel(const T* in, unsigned* out, int* all) {
    int lane = threadIdx.x;
    out[lane] = __match_any_sync(0xffffffff, in[lane]);
    out[32 + lane] = __match_all_sync(0xffffffff, in[lane], &all[lane]);
}
extern "C" void match_int(const int* in, unsigned* out, int* all) { match_kernel<<<1, 32>>>(in, out, all); }
extern "C" void match_double(const double* in, unsigned* out, int* all) { match_kernel<<<1, 32>>>(in, out, all); }

__global__ void reduce_kernel(const int* in, int* out, unsigned* unsigned_out) {
    int lane = threadIdx.x, value = in[lane];
    unsigned bits = value;
    out[lane] = __reduce_add_sync(0xffffffff, value);
    out[32 + lane] = __reduce_min_sync(0xffffffff, value);
    out[64 + lane] = __reduce_max_sync(0xffffffff, value);
    unsigned_out[lane] = __reduce_and_sync(0xffffffff, bits);
    unsigned_out[32 + lane] = __reduce_or_sync(0xffffffff, bits);
    unsigned_out[64 + lane] = __reduce_xor_sync(0xffffffff, bits);
    unsigned_out[96 + lane] = __reduce_max_sync(0xffffffff, bits);
}
extern "C" void reduce(const int* in, int* out, unsigned* unsigned_out) { reduce_kernel<<<1, 32>>>(in, out, unsigned_out); }

__global__ void barrier_kernel(const int* in, int* out) {
    int i = threadIdx.x;
    out[i] = __syncthreads_count(in[i]);
    out[blockDim.x + i] = __syncthreads_and(in[i]);
    out[2 * blockDim.x + i] = __syncthreads_or(in[i]);
}
extern "C" void barrier(const int* in, int* out, int n) { barrier_kernel<<<1, n>>>(in, out); }

// Lanes exchange through shared memory with only __syncwarp between them.
__global__ void warp_reverse_kernel(const int* in, int* out) {
    __shared__ int tile[128];
    int i = threadIdx.x, lane = i % 32;
    tile[i] = in[i];
    __syncwarp();
    out[i] = tile[i - lane + 31 - lane];
}
extern "C" void warp_reverse(const int* in, int* out) { warp_reverse_kernel<<<1, 128>>>(in, out); }
