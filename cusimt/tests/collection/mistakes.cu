// The classic mistake of each theme. `right` is 1 in the correct version of the same kernel.
#include "checks.h"

#define TILE 8

/* ---- matmul: the second barrier -------------------------------------------------------------------------------------------- */
__global__ void matmul_kernel(const float *a, const float *b, float *c, int n, int right)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        ta[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] = col < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];  // <- matmul_without_second_barrier
        if (right) __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
extern "C" void matmul_without_second_barrier(const float *a, const float *b, float *c, int n, int right)
{
    matmul_kernel<<<dim3((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), dim3(TILE, TILE)>>>(a, b, c, n, right);
}

/* ---- stencil: the halo reaches one too far ------------------------------------------------------------------------------------ */
__global__ void stencil_kernel(const float *in, float *out, int n, int right)
{
    __shared__ float s[32 + 2];
    const int i = blockIdx.x * 32 + threadIdx.x, last = right ? n - 1 : n;
    s[threadIdx.x + 1] = i < n ? in[i] : 0;
    if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == 31)
        s[33] = i + 1 <= last ? in[i + 1] : 0;  // <- halo_off_by_one
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
extern "C" void halo_off_by_one(const float *in, float *out, int n, int right) { stencil_kernel<<<ceil_div(n, 32), 32>>>(in, out, n, right); }

/* ---- element-wise: no guard for the tail ------------------------------------------------------------------------------------------ */
__global__ void scale_kernel(const float *in, float *out, int n, int right)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = i < n ? in[i] : 0;
    if (i < n || !right)
        out[i] = 2 * x;  // <- no_tail_guard
}
extern "C" void no_tail_guard(const float *in, float *out, int n, int right) { scale_kernel<<<ceil_div(n, 64), 64>>>(in, out, n, right); }

/* ---- float4: the last vector is only partly there, or not where a float4 may be ------------------------------------------------------- */
__global__ void vector_kernel(const float *in, float *out, int n, int vectors)
{
    const int i = threadIdx.x;
    if (i >= vectors) return;
    const float4 v = reinterpret_cast<const float4 *>(in)[i];  // <- vector_past_the_end
    for (int k = 0; k < 4; ++k)
        if (4 * i + k < n) out[4 * i + k] = (&v.x)[k];
}
extern "C" void vector_past_the_end(const float *in, float *out, int n, int right) { vector_kernel<<<1, 64>>>(in, out, n, right ? n / 4 : ceil_div(n, 4)); }

__global__ void odd_vector_kernel(const float *in, float *out, int first)
{
    const float2 v = *reinterpret_cast<const float2 *>(in + first + 2 * threadIdx.x);  // <- vector_misaligned
    out[threadIdx.x] = v.x + v.y;
}
extern "C" void vector_misaligned(const float *in, float *out, int n, int right) { odd_vector_kernel<<<1, n / 2 - 1>>>(in, out, right ? 0 : 1); }

/* ---- histograms: nobody zeroed it; nobody counted atomically ---------------------------------------------------------------------------- */
__global__ void shared_histogram_kernel(const int *data, int *bins, int n, int right)
{
    __shared__ int local[16];
    if (right && threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&local[data[i] & 15], 1);  // <- histogram_not_zeroed
    __syncthreads();
    if (threadIdx.x < 16) bins[threadIdx.x] = local[threadIdx.x];
}
extern "C" void histogram_not_zeroed(const int *data, int *bins, int n, int right) { shared_histogram_kernel<<<1, 64>>>(data, bins, n, right); }

__global__ void global_histogram_kernel(const int *data, int *bins, int n, int right)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (right) atomicAdd(&bins[data[i] & 15], 1);
    else
        bins[data[i] & 15] += 1;  // <- histogram_not_atomic
}
extern "C" void histogram_not_atomic(const int *data, int *bins, int n, int right)
{
    cudaMemset(bins, 0, 16 * sizeof(int));
    global_histogram_kernel<<<ceil_div(n, 64), 64>>>(data, bins, n, right);
}

/* ---- scan: reading before the others have written ------------------------------------------------------------------------------------------- */
__global__ void scan_kernel(const int *in, int *out, int right)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        const int left = threadIdx.x >= d ? s[threadIdx.x - d] : 0;  // <- scan_without_barrier
        if (right) __syncthreads();
        s[threadIdx.x] += left;
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" void scan_without_barrier(const int *in, int *out, int n, int right) { scan_kernel<<<1, min(n, 64)>>>(in, out, right); }

/* ---- reductions: a mask that leaves callers out; the last warp on its own; a scratch array used twice; a barrier not all reach --------------- */
__global__ void mask_kernel(const int *in, int *out, int n, int right)
{
    int sum = in[threadIdx.x];
    const unsigned mask = right ? 0xffffffffu : 0x0000ffffu;
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(mask, sum, d);  // <- mask_wrong
    if (threadIdx.x == 0) *out = sum;
}
extern "C" void mask_wrong(const int *in, int *out, int n, int right) { mask_kernel<<<1, 32>>>(in, out, n, right); }

__global__ void last_warp_kernel(const int *in, int *out, int n, int right)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        for (int d = 32; d; d /= 2) {
            const int other = threadIdx.x < d ? s[threadIdx.x + d] : 0;  // <- last_warp_unsynchronised
            if (right) __syncwarp();
            if (threadIdx.x < d) s[threadIdx.x] += other;
            if (right) __syncwarp();
        }
    if (threadIdx.x == 0) *out = s[0];
}
extern "C" void last_warp_unsynchronised(const int *in, int *out, int n, int right) { last_warp_kernel<<<1, 64>>>(in, out, n, right); }

__device__ float block_sum(float value, float *scratch, int right)
{
    for (int d = 16; d; d /= 2) value += __shfl_xor_sync(~0u, value, d);
    if (right) __syncthreads();
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = value;  // <- scratch_used_twice
    __syncthreads();
    return scratch[0] + scratch[1];
}
__global__ void normalise_kernel(const float *in, float *out, int right)
{
    __shared__ float scratch[2];
    const float x = in[threadIdx.x], mean = block_sum(x, scratch, right) / 64;
    out[threadIdx.x] = block_sum((x - mean) * (x - mean), scratch, right);
}
extern "C" void scratch_used_twice(const float *in, float *out, int n, int right) { normalise_kernel<<<1, 64>>>(in, out, right); }

__global__ void early_return_kernel(const int *in, int *out, int n, int right)
{
    __shared__ int s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (!right && i >= n) return;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();  // <- barrier_after_return
    if (i < n) out[i] = s[threadIdx.x ^ 1];
}
extern "C" void barrier_after_return(const int *in, int *out, int n, int right) { early_return_kernel<<<ceil_div(n, 64), 64>>>(in, out, n, right); }

/* ---- host side: elements for bytes; accumulating into what nobody cleared; freed too early ---------------------------------------------------- */
__global__ void reverse_kernel(const int *in, int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = in[threadIdx.x];  // <- dynamic_in_elements
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" void dynamic_in_elements(const int *in, int *out, int n, int right) { reverse_kernel<<<1, 64, right ? 64 * sizeof(int) : 64>>>(in, out); }

__global__ void accumulate_kernel(const float *in, float *sum)
{
    atomicAdd(&sum[threadIdx.x % 4], in[threadIdx.x]);  // <- sum_not_cleared
}
extern "C" void sum_not_cleared(const float *in, float *out, int n, int right)
{
    float *sum;
    CUDA_CHECK(cudaMalloc(&sum, 4 * sizeof(float)));
    if (right) CUDA_CHECK(cudaMemset(sum, 0, 4 * sizeof(float)));
    accumulate_kernel<<<1, 64>>>(in, sum);
    CUDA_CHECK(cudaMemcpy(out, sum, 4 * sizeof(float), cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaFree(sum));
}

__global__ void copy_kernel(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x];  // <- freed_too_early
}
extern "C" void freed_too_early(const float *in, float *out, int n, int right)
{
    float *scratch;
    CUDA_CHECK(cudaMalloc(&scratch, 64 * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(scratch, in, 64 * sizeof(float), cudaMemcpyDeviceToDevice));
    if (!right) CUDA_CHECK(cudaFree(scratch));
    copy_kernel<<<1, 64>>>(scratch, out);
    if (right) CUDA_CHECK(cudaFree(scratch));
}
