// C = A B, from one thread per element to registers full of them. Matrices are row-major; sizes need not fit the tiles.
#include <cuda_fp16.h>
#include <type_traits>
#include "checks.h"

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

/* ---- version 1: naive; C = alpha * A B + beta * C -------------------------------------------------------------------------- */
__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint y = blockIdx.y * blockDim.y + threadIdx.y;

  // `if` condition is necessary for when M or N aren't multiples of 32.
  if (x < M && y < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) {
      tmp += A[x * K + i] * B[i * N + y];
    }
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}
extern "C" void matmul_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  dim3 gridDim(CEIL_DIV(M, 8), CEIL_DIV(N, 8), 1);   // shadows the built-in, as so many host functions do
  dim3 blockDim(8, 8, 1);
  sgemm_naive<<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}

/* ---- version 2: coalesced by a one-dimensional block, tiles in shared memory -------------------------------------------------- */
template <const int BLOCKSIZE>
__global__ void sgemm_shared_mem_block(int M, int N, int K, const float *A, const float *B, float *C) {
  const int cRow = blockIdx.x, cCol = blockIdx.y;
  __shared__ float As[BLOCKSIZE * BLOCKSIZE];
  __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];
  const int threadCol = threadIdx.x % BLOCKSIZE, threadRow = threadIdx.x / BLOCKSIZE;
  const int row = cRow * BLOCKSIZE + threadRow, col = cCol * BLOCKSIZE + threadCol;
  float tmp = 0.0;
  for (int bkIdx = 0; bkIdx < K; bkIdx += BLOCKSIZE) {
    As[threadRow * BLOCKSIZE + threadCol] = row < M && bkIdx + threadCol < K ? A[row * K + bkIdx + threadCol] : 0.f;
    Bs[threadRow * BLOCKSIZE + threadCol] = bkIdx + threadRow < K && col < N ? B[(bkIdx + threadRow) * N + col] : 0.f;
    __syncthreads();  // both tiles are filled
    for (int dotIdx = 0; dotIdx < BLOCKSIZE; ++dotIdx)
      tmp += As[threadRow * BLOCKSIZE + dotIdx] * Bs[dotIdx * BLOCKSIZE + threadCol];
    __syncthreads();  // nobody fills them again before all have read
  }
  if (row < M && col < N) C[row * N + col] = tmp;
}
extern "C" void matmul_tiled(int M, int N, int K, const float *A, const float *B, float *C) {
  sgemm_shared_mem_block<8>
      <<<dim3(CEIL_DIV(M, 8), CEIL_DIV(N, 8)), 8 * 8>>>
      (M, N, K, A, B, C);
}

/* ---- version 3: a column of TM results per thread ---------------------------------------------------------------------------------- */
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm_1d_blocktiling(int M, int N, int K, const float *A, const float *B, float *C) {
  static_assert(BM * BK == BM * BN / TM && BN * BK == BM * BN / TM, "each thread loads one element of each tile");
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const uint cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
  const uint innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
  float threadResults[TM] = {0.0};
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    const uint ra = cRow * BM + innerRowA, ca = bkIdx + innerColA, rb = bkIdx + innerRowB, cb = cCol * BN + innerColB;
    As[innerRowA * BK + innerColA] = (ra < M && ca < K) ? A[ra * K + ca] : 0;
    Bs[innerRowB * BN + innerColB] = (rb < K && cb < N) ? B[rb * N + cb] : 0;
    __syncthreads();
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint resIdx = 0; resIdx < TM; ++resIdx)
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
    }
    __syncthreads();
  }
  for (uint resIdx = 0; resIdx < TM; ++resIdx) {
    const uint r = cRow * BM + threadRow * TM + resIdx, c = cCol * BN + threadCol;
    if (r < M && c < N) C[r * N + c] = threadResults[resIdx];
  }
}
extern "C" void matmul_1d_blocks(int M, int N, int K, const float *A, const float *B, float *C) {
  const uint BM = 32, BN = 32, BK = 4, TM = 8;
  sgemm_1d_blocktiling<BM, BN, BK, TM><<<dim3(CEIL_DIV(N, BN), CEIL_DIV(M, BM)), dim3((BM * BN) / TM)>>>(M, N, K, A, B, C);
}

/* ---- version 4: a TM x TN patch per thread, float4 loads, A transposed in shared memory, two buffers -------------------------------- */
template <int BM, int BN, int BK, int TM, int TN>
struct Tile {
  static constexpr int kThreads = (BM / TM) * (BN / TN);
  float a[2][BK][BM];
  float b[2][BK][BN];

  // K and N are multiples of 4, so a vector of four is inside or outside as a whole
  __device__ __forceinline__ void load(int buffer, const float *A, const float *B, int M, int N, int K, int k0) {
    for (int i = threadIdx.x * 4; i < BM * BK; i += kThreads * 4) {
      const int r = i / BK, c = i % BK, row = blockIdx.y * BM + r;
      float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
      if (row < M && k0 + c < K) v = *reinterpret_cast<const float4 *>(&A[row * K + k0 + c]);
      a[buffer][c + 0][r] = v.x;
      a[buffer][c + 1][r] = v.y;
      a[buffer][c + 2][r] = v.z;
      a[buffer][c + 3][r] = v.w;
    }
    for (int i = threadIdx.x * 4; i < BK * BN; i += kThreads * 4) {
      const int r = i / BN, c = i % BN, col = blockIdx.x * BN + c;
      float4 v{};
      if (k0 + r < K && col < N) v = reinterpret_cast<const float4 *>(B + (k0 + r) * N + col)[0];
      *reinterpret_cast<float4 *>(&b[buffer][r][c]) = v;
    }
  }
};

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 1)
    sgemm_2d_double_buffered(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto &tile = *reinterpret_cast<Tile<BM, BN, BK, TM, TN> *>(raw);
  const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
  float sum[TM][TN] = {}, ra[TM], rb[TN];
  int buffer = 0;
  tile.load(buffer, A, B, M, N, K, 0);
  __syncthreads();
  for (int k0 = 0; k0 < K; k0 += BK, buffer ^= 1) {
    if (k0 + BK < K) tile.load(buffer ^ 1, A, B, M, N, K, k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) ra[i] = tile.a[buffer][k][ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) rb[j] = tile.b[buffer][k][tx * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] = fmaf(ra[i], rb[j], sum[i][j]);
    }
    __syncthreads();  // one barrier per step: the other buffer is complete, and this one has been read
  }
  for (int i = 0; i < TM; ++i) {
    const int row = blockIdx.y * BM + ty * TM + i, col = blockIdx.x * BN + tx * TN;
    if (row < M && col < N) reinterpret_cast<float4 *>(&C[row * N + col])[0] = *reinterpret_cast<float4 *>(sum[i]);
  }
}
extern "C" void matmul_2d_blocks(int M, int N, int K, const float *A, const float *B, float *C) {
  constexpr int BM = 32, BN = 16, BK = 8, TM = 4, TN = 4;
  using Shared = Tile<BM, BN, BK, TM, TN>;
  auto kernel = sgemm_2d_double_buffered<BM, BN, BK, TM, TN>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(Shared)));
  dim3 grid(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
  kernel<<<grid, Shared::kThreads, sizeof(Shared)>>>(M, N, K, A, B, C);
}

/* ---- halves in, floats inside: a warp computes a 16 x 16 piece, fragments held by its lanes -------------------------------------------- */
// Lane l holds of each row r the column l % 16, for r = l / 16, l / 16 + 2, ...
struct Fragment { float x[8]; };

__device__ void multiply_add(Fragment &c, const half *a, int lda, const half *b, int ldb) {
  const int lane = threadIdx.x % 32, column = lane & 15;
  for (int k = 0; k < 16; ++k) {
    const float right = __half2float(b[k * ldb + column]);
    for (int i = 0; i < 8; ++i) c.x[i] += __half2float(a[(lane / 16 + 2 * i) * lda + k]) * right;
  }
}

__global__ void hgemm_warp(const half *A, const half *B, half *C, int M, int N, int K) {
  __shared__ half a[2][16][16 + 8], b[2][16][16 + 8];   // a piece per warp
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = (blockIdx.y * 2 + warp) * 16, col0 = blockIdx.x * 16;
  Fragment c = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = lane; i < 256; i += 32) {
      const int r = i / 16, k = i % 16;
      a[warp][r][k] = row0 + r < M && k0 + k < K ? A[(row0 + r) * K + k0 + k] : __float2half(0.f);
      b[warp][r][k] = k0 + r < K && col0 + k < N ? B[(k0 + r) * N + col0 + k] : half(0.f);
    }
    __syncwarp();
    multiply_add(c, &a[warp][0][0], 24, b[warp][0], 24);
    __syncwarp();
  }
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + lane / 16 + 2 * i, col = col0 + lane % 16;
    if (row < M && col < N) C[row * N + col] = __float2half_rn(c.x[i]);
  }
}
extern "C" void matmul_half(const half *A, const half *B, half *C, int M, int N, int K) {
  hgemm_warp<<<dim3((N + 15) / 16, (M + 31) / 32), 64>>>(A, B, C, M, N, K);
}

/* ---- batched, by strides; transposition chosen by tag types --------------------------------------------------------------------------------- */
struct RowMajor {};
struct ColMajor {};
template <class Layout>
__device__ __forceinline__ int offset(int r, int c, int rows, int cols) {
  if constexpr (std::is_same<Layout, RowMajor>::value) return r * cols + c;
  else return c * rows + r;
}

template <typename T, typename LayoutA, typename LayoutB, int kTile = 4>
__global__ void batched_gemm(T const *a, T const *b, T *c, int m, int n, int k, long long stride_a, long long stride_b, long long stride_c) {
  __shared__ T sa[kTile][kTile + 1], sb[kTile][kTile + 1];
  a += stride_a * blockIdx.z;
  b += stride_b * blockIdx.z;
  c += stride_c * blockIdx.z;
  int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  T sum{};
  for (int k0 = 0; k0 < k; k0 += kTile) {
    int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[offset<LayoutA>(row, ka, m, k)] : T(0);
    sb[threadIdx.y][threadIdx.x] = col < n && kb < k ? b[offset<LayoutB>(kb, col, k, n)] : T(0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
extern "C" void matmul_batched(const double *a, const double *b, double *c, int batch, int m, int n, int k) {
  const dim3 grid((n + 3) / 4, (m + 3) / 4, batch), block(4, 4);
  batched_gemm<double, RowMajor, ColMajor><<<grid, block, 0, cudaStreamPerThread>>>(a, b, c, m, n, k, 1LL * m * k, (long long)k * n, static_cast<long long>(m) * n);
  CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

/* ---- split along K, added up by atomics --------------------------------------------------------------------------------------------------------- */
__global__ void split_k(const float *a, const float *b, float *c, int m, int n, int k, int chunk) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * chunk, past = min(first + chunk, k);
  if (i >= m * n) return;
  float sum = 0;
#pragma unroll 4
  for (int x = first; x < past; x++) sum += a[i / n * k + x] * b[x * n + i % n];
  atomicAdd(c + i, sum);
}
extern "C" void matmul_split_k(const float *a, const float *b, float *c, int m, int n, int k) {
  const int splits = k >= 64 ? 4 : 1, chunk = CEIL_DIV(k, splits);
  cudaMemset(c, 0, m * n * sizeof(float));
  split_k<<<{unsigned(CEIL_DIV(m * n, 64)), unsigned(splits)}, 64>>>(a, b, c, m, n, k, chunk);
}
