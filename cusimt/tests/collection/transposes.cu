// Rows become columns.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include "checks.h"

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

// simple copy kernel, the yardstick of the others
__global__ void copy(float *odata, const float *idata, int width, int height)
{
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j+= BLOCK_ROWS)
    if (x < width && y + j < height)
      odata[(y+j)*width + x] = idata[(y+j)*width + x];
}

__global__ void transposeNaive(float *odata, const float *idata, int width, int height)
{
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      odata[x*height + (y+j)] = idata[(y+j)*width + x];
}

// PAD 0: every column of the tile is one bank; PAD 1: no two threads of a warp meet in a bank
template <int PAD>
__global__ void transposeTile(float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE_DIM][TILE_DIM+PAD];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y+j][threadIdx.x] = idata[(y+j)*width + x];

  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x;  // transpose block offset
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width)
      odata[(y+j)*height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void transpose_four_ways(const float *in, float *out, int width, int height)
{
  const int elements = width * height;
  dim3 dimGrid((width + TILE_DIM - 1)/TILE_DIM, (height + TILE_DIM - 1)/TILE_DIM, 1);
  dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  void (*kernels[])(float *, const float *, int, int) = {copy, transposeNaive, transposeTile<0>, transposeTile<1>};
  for (int k = 0; k < 4; k++) {
    kernels[k]<<<dimGrid, dimBlock>>>(out + k * elements, in, width, height);
    CHECK_LAUNCH();
  }
}

/* ---- diagonal order of blocks ------------------------------------------------------------------------------------------- */
#define TILE 16
#define AT(matrix, row, column, ld) ((matrix)[(size_t)(row) * (ld) + (column)])

__global__ void transpose_diagonal_kernel(const double *in, double *out, int n)
{
    __shared__ double tile[TILE * (TILE + 1)];
    const int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int row = by * TILE + threadIdx.y, column = bx * TILE + threadIdx.x;
    if (row < n && column < n)
        AT(tile, threadIdx.y, threadIdx.x, TILE + 1) = AT(in, row, column, n);
    __syncthreads();
    row = bx * TILE + threadIdx.y;
    column = by * TILE + threadIdx.x;
    if (row < n && column < n)
        AT(out, row, column, n) = AT(tile, threadIdx.x, threadIdx.y, TILE + 1);
}
extern "C" void transpose_diagonal(const double *in, double *out, int n)
{
    const int tiles = n / TILE + (n % TILE != 0);
    transpose_diagonal_kernel<<<dim3{unsigned(tiles), unsigned(tiles)}, dim3{TILE, TILE}>>>(in, out, n);
}

/* ---- a square in place: pairs of tiles change places ---------------------------------------------------------------------- */
__global__ void transpose_square_kernel(int *a, int n) {
  __shared__ int upper[TILE][TILE + 1], lower[TILE][TILE + 1];
  if (blockIdx.x < blockIdx.y) return;  // the whole block leaves: no barrier is missed
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  const int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
  const bool inside = x < n && y < n, mirrored = tx < n && ty < n;
  if (inside) upper[threadIdx.y][threadIdx.x] = a[y * n + x];
  if (mirrored) lower[threadIdx.y][threadIdx.x] = a[ty * n + tx];
  __syncthreads();
  if (mirrored) a[ty * n + tx] = upper[threadIdx.x][threadIdx.y];
  if (inside && blockIdx.x != blockIdx.y) a[y * n + x] = lower[threadIdx.x][threadIdx.y];
}
extern "C" void transpose_in_place(int *a, int n) {
  transpose_square_kernel <<< dim3(ceil_div(n, TILE), ceil_div(n, TILE)), dim3(TILE, TILE) >>> (a, n);
}

/* ---- int4 in, int4 out ------------------------------------------------------------------------------------------------------ */
union Quad { int4 v; int e[4]; };

__global__ void __launch_bounds__(64) transpose_int4_kernel(const int4 *__restrict__ in, int4 *__restrict__ out, int rows, int cols)
{
    // 8 x 8 threads, each with a 4 x 4 piece: rows and cols are multiples of 4
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (4 * c >= cols || 4 * r >= rows) return;
    Quad from[4], to[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) from[k].v = in[(4 * r + k) * (cols / 4) + c];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int k = 0; k < 4; ++k) to[i].e[k] = from[k].e[i];
#pragma unroll
    for (int i = 0; i < 4; ++i) out[(4 * c + i) * (rows / 4) + r] = to[i].v;
}
extern "C" void transpose_int4(const int4 *in, int4 *out, int rows, int cols)
{
    transpose_int4_kernel<<<dim3((cols / 4 + 7) / 8, (rows / 4 + 7) / 8), dim3(8, 8)>>>(in, out, rows, cols);
}

/* ---- any permutation of any number of dimensions, described by a struct that is passed by value -------------------------------- */
template <int NDIM>
struct Permutation {
  int size[NDIM], stride[NDIM];
};

template <typename T, int NDIM>
__global__ void permute_kernel(const T *in, T *out, Permutation<NDIM> p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int rest = i, from = 0;
#pragma unroll
    for (int d = NDIM - 1; d >= 0; --d) {
      from += rest % p.size[d] * p.stride[d];
      rest /= p.size[d];
    }
    out[i] = in[from];
  }
}
// (a, b, c, d) -> (a, c, b, d): heads of an attention layer
extern "C" void swap_middle(const short *in, short *out, int a, int b, int c, int d) {
  permute_kernel<short, 4><<<2, 96>>>(in, out, Permutation<4>{{a, c, b, d}, {b * c * d, d, c * d, 1}}, a * b * c * d);
}

/* ---- rows with a pitch ------------------------------------------------------------------------------------------------------------ */
__global__ void transpose_pitched_kernel(const char *in, size_t in_pitch, char *out, size_t out_pitch, int width, int height)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= width || y >= height) return;
    const float *from = (const float *)(in + y * in_pitch) + x;
    *((float *)(out + x * out_pitch) + y) = *from;
}
extern "C" void transpose_pitched(const float *host_in, float *host_out, int width, int height)
{
    float *in, *out;
    size_t in_pitch, out_pitch;
    CUDA_CHECK(cudaMallocPitch(&in, &in_pitch, width * sizeof(float), height));
    CUDA_CHECK(cudaMallocPitch((void **)&out, &out_pitch, height * sizeof(float), width));
    CUDA_CHECK(cudaMemcpy2D(in, in_pitch, host_in, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
    dim3 block(16, 4), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    transpose_pitched_kernel<<<grid, block>>>(reinterpret_cast<char *>(in), in_pitch, (char *)out, out_pitch, width, height);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy2D(host_out, height * sizeof(float), out, out_pitch, height * sizeof(float), width, cudaMemcpyDeviceToHost));
    cudaFree(in);
    cudaFree(out);
}
