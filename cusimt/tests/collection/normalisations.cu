// Row-wise operations of networks: softmax, layer norm, RMS norm, cross entropy; forward and backward.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <float.h>
#include <math_constants.h>
#include "checks.h"
#include "block_reduce.cuh"

namespace cg = cooperative_groups;

/* ---- softmax 1: three passes by one thread per row ------------------------------------------------------------------------ */
__global__ void softmax_forward_kernel1(float* out, const float* inp, int N, int C) {
    // inp is (N, C), out is (N, C); each row of inp gets softmaxed
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float* inp_row = inp + i * C;
        float* out_row = out + i * C;

        float maxval = -INFINITY;
        for (int j = 0; j < C; j++) {
            if (inp_row[j] > maxval) {
                maxval = inp_row[j];
            }
        }
        double sum = 0.0;
        for (int j = 0; j < C; j++) {
            out_row[j] = expf(inp_row[j] - maxval);
            sum += out_row[j];
        }
        for (int j = 0; j < C; j++) {
            out_row[j] /= (float)sum;
        }
    }
}

/* ---- softmax 2: online, a warp per row, maximum and sum travel together ------------------------------------------------------- */
struct __align__(8) MD { float m, d; };

__device__ __forceinline__ MD operator+(const MD& a, const MD& b) {
    const bool a_bigger = a.m > b.m;
    const MD& bigger = a_bigger ? a : b;
    const MD& smaller = a_bigger ? b : a;
    return MD{bigger.m, bigger.d + smaller.d * __expf(smaller.m - bigger.m)};
}

__global__ void softmax_online(float* __restrict__ out, const float* __restrict__ inp, int N, int C) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (row >= N) return;
    const float* x = inp + row * C;
    MD partial{-FLT_MAX, 0.0f};
    for (int i = warp.thread_rank(); i < C; i += warp.size()) partial = partial + MD{x[i], 1.0f};
    const float m = cg::reduce(warp, partial.m, cg::greater<float>{});
    const float d = cg::reduce(warp, partial.d * expf(partial.m - m), cg::plus<float>{});
    for (int i = warp.thread_rank(); i < C; i += warp.size()) __stcs(out + row * C + i, __expf(x[i] - m) / d);
}

/* ---- softmax 3: a block per row, the row waits in dynamic shared memory ----------------------------------------------------------- */
template <typename T>
__global__ void softmax_block(T* out, const T* inp, int C) {
    extern __shared__ __align__(sizeof(double)) char shared_row[];
    T* row = (T*)shared_row;
    T m = -CUDART_INF;
    for (int i = threadIdx.x; i < C; i += blockDim.x) m = max(m, row[i] = inp[blockIdx.x * C + i]);
    m = blockwise::block_reduce(m, blockwise::Max{}, T(-CUDART_INF));
    T d = 0;
    for (int i = threadIdx.x; i < C; i += blockDim.x) d += row[i] = exp(row[i] - m);
    d = blockwise::block_reduce(d, blockwise::Sum{}, T(0));
    for (int i = threadIdx.x; i < C; i += blockDim.x) out[blockIdx.x * C + i] = row[i] / d;
}

extern "C" void softmax_rows(int version, float* out, const float* inp, int N, int C) {
    switch (version) {
        case 1: softmax_forward_kernel1<<<ceil_div(N, 32), 32>>>(out, inp, N, C); break;
        case 2: softmax_online<<<ceil_div(N * 32, 96), 96>>>(out, inp, N, C); break;
        case 3: softmax_block<float><<<N, 64, C * sizeof(float)>>>(out, inp, C); break;
        default: printf("Invalid kernel number\n"); exit(1);
    }
    CHECK_LAUNCH();
}

__global__ void softmax_backward_kernel(float* dx, const float* dy, const float* y, int C) {
    // dx = y * (dy - sum(dy * y)); a warp per row
    float dot = 0.f;
    for (int i = threadIdx.x; i < C; i += 32) dot += dy[blockIdx.x * C + i] * y[blockIdx.x * C + i];
    dot = blockwise::warp_reduce(dot, blockwise::Sum());
    for (int i = threadIdx.x; i < C; i += 32) {
        const int at = blockIdx.x * C + i;
        dx[at] = y[at] * (dy[at] - dot);
    }
}
extern "C" void softmax_backward(float* dx, const float* dy, const float* y, int N, int C) {
    softmax_backward_kernel<<<N, 32>>>(dx, dy, y, C);
}

/* ---- layer norm ----------------------------------------------------------------------------------------------------------------------- */
__global__ void layernorm_forward_kernel(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                         const float* __restrict__ inp, const float* __restrict__ weight,
                                         const float* __restrict__ bias, int N, int C) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float* x = inp + idx * C;

    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float m = sum / C;
    if (warp.thread_rank() == 0 && mean != nullptr) __stcs(mean + idx, m);

    sum = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>{});
    float s = rsqrtf(sum / C + 1e-5f);
    if (warp.thread_rank() == 0 && rstd != nullptr) __stcs(rstd + idx, s);

    float* o = out + idx * C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}
extern "C" void layernorm_forward(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias, int N, int C) {
    const int block_size = 64;
    const int grid_size = ceil_div(N * 32, block_size);
    layernorm_forward_kernel<<<grid_size, block_size>>>(out, mean, rstd, inp, weight, bias, N, C);
    CHECK_LAUNCH();
}

// Blocks take several rows each and gather what weight and bias get in shared memory first: one atomic per column and block.
__global__ void layernorm_backward_kernel(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp, const float* weight,
                                          const float* mean, const float* rstd, int N, int C) {
    extern __shared__ float shared[];  // size = 2 * C
    float* dbias_shared = shared;
    float* dweight_shared = shared + C;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
#pragma unroll 4
    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        dbias_shared[i] = 0.0f;
        dweight_shared[i] = 0.0f;
    }
    __syncthreads();

    for (int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); idx < N; idx += gridDim.x * warp.meta_group_size()) {
        const float *dout_row = dout + idx * C, *inp_row = inp + idx * C;
        const float m = mean[idx], s = rstd[idx];
        float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            const float norm = (inp_row[i] - m) * s, dnorm = weight[i] * dout_row[i];
            dnorm_mean += dnorm;
            dnorm_norm_mean += dnorm * norm;
        }
        dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
        dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
        for (int i = warp.thread_rank(); i < C; i += warp.size()) {
            const float norm = (inp_row[i] - m) * s, dnorm = weight[i] * dout_row[i];
            atomicAdd(&dbias_shared[i], dout_row[i]);
            atomicAdd(&dweight_shared[i], norm * dout_row[i]);
            dinp[idx * C + i] += (dnorm - dnorm_mean - norm * dnorm_norm_mean) * s;
        }
    }
    __syncthreads();

    for (int i = threadIdx.x; i < C; i += blockDim.x) {
        atomicAdd(&dbias[i], dbias_shared[i]);
        atomicAdd(&dweight[i], dweight_shared[i]);
    }
}
extern "C" void layernorm_backward(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp, const float* weight,
                                   const float* mean, const float* rstd, int N, int C) {
    layernorm_backward_kernel<<<2, 96, 2 * C * sizeof(float)>>>(dinp, dweight, dbias, dout, inp, weight, mean, rstd, N, C);
}

/* ---- RMS norm on bfloat16 pairs, forward and backward ------------------------------------------------------------------------------------- */
template <int kThreads>
__global__ void __launch_bounds__(kThreads) rmsnorm_kernel(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight,
                                                          __nv_bfloat16* __restrict__ out, float* __restrict__ inverse, int hidden, float eps) {
  const auto* x2 = reinterpret_cast<const __nv_bfloat162*>(x) + blockIdx.x * (hidden / 2);
  const auto* w2 = reinterpret_cast<const __nv_bfloat162*>(weight);
  auto* out2 = reinterpret_cast<__nv_bfloat162*>(out) + blockIdx.x * (hidden / 2);
  __shared__ float s_inverse;
  float sum = 0.f;
  for (int i = threadIdx.x; i < hidden / 2; i += kThreads) {
    const float2 v = __bfloat1622float2(x2[i]);
    sum += v.x * v.x + v.y * v.y;
  }
  sum = blockwise::block_reduce(sum, blockwise::Sum(), 0.f);
  if (threadIdx.x == 0) inverse[blockIdx.x] = s_inverse = rsqrtf(sum / hidden + eps);
  __syncthreads();
  for (int i = threadIdx.x; i < hidden / 2; i += kThreads) {
    const float2 v = __bfloat1622float2(x2[i]), w = __bfloat1622float2(w2[i]);
    out2[i] = __floats2bfloat162_rn(v.x * s_inverse * w.x, v.y * s_inverse * w.y);
  }
}
extern "C" void rmsnorm_forward(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* out, float* inverse, int rows, int hidden) {
  rmsnorm_kernel<64><<<rows, 64>>>(x, weight, out, inverse, hidden, 1e-6f);
}

__global__ void rmsnorm_backward_kernel(const float* dy, const float* x, const float* weight, const float* inverse, float* dx, float* dweight_partial, int hidden) {
  const int row = blockIdx.x;
  const float r = inverse[row];
  float dot = 0.f;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) dot += dy[row * hidden + i] * weight[i] * x[row * hidden + i];
  dot = blockwise::block_reduce(dot, blockwise::Sum(), 0.f) * r * r / hidden;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    const int at = row * hidden + i;
    dx[at] = r * (dy[at] * weight[i] - x[at] * dot);
    dweight_partial[at] = dy[at] * x[at] * r;
  }
}
__global__ void column_sums(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float sum = 0.f;
  for (int row = 0; row < rows; ++row) sum += in[row * cols + col];
  out[col] = sum;
}
extern "C" void rmsnorm_backward(const float* dy, const float* x, const float* weight, const float* inverse, float* dx, float* dweight, int rows, int hidden) {
  float* partial = nullptr;
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaMallocAsync(&partial, sizeof(float) * rows * hidden, stream));
  rmsnorm_backward_kernel<<<rows, 64, 0, stream>>>(dy, x, weight, inverse, dx, partial, hidden);
  column_sums<<<(hidden + 31) / 32, 32, 0, stream>>>(partial, dweight, rows, hidden);
  CUDA_CHECK(cudaFreeAsync(partial, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

/* ---- cross entropy: loss and gradient in one go, targets may be ignored --------------------------------------------------------------------- */
template <typename scalar_t, typename index_t>
__global__ void cross_entropy_kernel(scalar_t* losses, scalar_t* dlogits, const scalar_t* logits, const index_t* targets, int V, index_t ignore) {
  const int64_t row = blockIdx.x;
  const index_t target = targets[row];
  if (target == ignore) {   // the same for every thread of the block
    for (int i = threadIdx.x; i < V; i += blockDim.x) dlogits[row * V + i] = 0;
    if (threadIdx.x == 0) losses[row] = 0;
    return;
  }
  scalar_t m = -CUDART_INF_F;
  for (int i = threadIdx.x; i < V; i += blockDim.x) m = ::max(m, logits[row * V + i]);
  m = blockwise::block_reduce(m, blockwise::Max(), static_cast<scalar_t>(-CUDART_INF_F));
  scalar_t sum = 0;
  for (int i = threadIdx.x; i < V; i += blockDim.x) sum += std::exp(logits[row * V + i] - m);
  sum = blockwise::block_reduce(sum, blockwise::Sum(), scalar_t{});
  for (int i = threadIdx.x; i < V; i += blockDim.x)
    dlogits[row * V + i] = std::exp(logits[row * V + i] - m) / sum - scalar_t(i == target);
  if (threadIdx.x == 0) losses[row] = std::log(sum) + m - logits[row * V + target];
}
extern "C" void cross_entropy(float* losses, float* dlogits, const float* logits, const long long* targets, int N, int V) {
  cross_entropy_kernel<float, long long><<<N, 96>>>(losses, dlogits, logits, targets, V, -100LL);
}
