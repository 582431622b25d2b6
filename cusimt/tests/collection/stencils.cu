// Neighbours: convolutions and finite differences.
#include "checks.h"

/* ---- one dimension, coefficients in constant memory ---------------------------------------------------------------------- */
#define MAX_RADIUS 8
__constant__ float c_Kernel[2 * MAX_RADIUS + 1];

template <int RADIUS, int BLOCK>
__global__ void convolve1D(float *dst, const float *src, int n)
{
    __shared__ float s_Data[BLOCK + 2 * RADIUS];
    const int base = blockIdx.x * BLOCK - RADIUS;

    // tile with both halos; outside of the signal it is zero
    for (int i = threadIdx.x; i < BLOCK + 2 * RADIUS; i += BLOCK) {
        const int x = base + i;
        s_Data[i] = (x >= 0 && x < n) ? src[x] : 0;
    }
    __syncthreads();

    const int x = blockIdx.x * BLOCK + threadIdx.x;
    if (x >= n) return;
    float sum = 0;
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; j++)
        sum += c_Kernel[RADIUS - j] * s_Data[threadIdx.x + RADIUS + j];
    dst[x] = sum;
}
extern "C" void convolution_1d(float *dst, const float *src, const float *coefficients, int n)
{
    const int radius = 3;
    CUDA_CHECK(cudaMemcpyToSymbol(c_Kernel, coefficients, (2 * radius + 1) * sizeof(float), 0, cudaMemcpyDeviceToDevice));
    convolve1D<radius, 64><<<(n + 63) / 64, 64>>>(dst, src, n);
}

/* ---- separable: rows, then columns ------------------------------------------------------------------------------------------- */
__constant__ struct { int radius; float weight[2 * MAX_RADIUS + 1]; } filter;

enum Axis { ROWS, COLUMNS };

template <Axis axis>
__global__ void convolve_axis(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int at = axis == ROWS ? x : y, limit = axis == ROWS ? w : h;
  float sum = 0.f;
  for (int d = -filter.radius; d <= filter.radius; ++d) {
    const int clamped = min(max(at + d, 0), limit - 1);   // the border repeats
    const int from = axis == ROWS ? y * w + clamped : clamped * w + x;
    sum = __fmaf_rn(filter.weight[filter.radius + d], in[from], sum);
  }
  out[y * w + x] = sum;
}
extern "C" void convolution_separable(const float* in, float* scratch, float* out, int w, int h, int radius) {
  int host_radius = radius;
  float host_weights[2 * MAX_RADIUS + 1], total = 0;
  for (int i = 0; i <= 2 * radius; ++i) total += host_weights[i] = float(radius + 1 - abs(i - radius));
  for (float& weight : host_weights) weight /= total;
  void* address;
  CUDA_CHECK(cudaGetSymbolAddress(&address, filter));
  CUDA_CHECK(cudaMemcpy(address, &host_radius, sizeof(int), cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpyToSymbol(filter, host_weights, (2 * radius + 1) * sizeof(float), sizeof(int)));
  dim3 block(16, 8), grid(ceil_div(w, block.x), ceil_div(h, block.y));
  convolve_axis<ROWS><<<grid, block>>>(in, scratch, w, h);
  convolve_axis<Axis::COLUMNS><<<grid, block>>>(scratch, out, w, h);
}

/* ---- two dimensions: a tile, its halo and its corners ---------------------------------------------------------------------------- */
#define TILE_W 16
#define TILE_H 8
#define R 2
#define BLOCK_W (TILE_W + (2 * R))
#define BLOCK_H (TILE_H + (2 * R))

// As many threads as there are inputs; those of the rim only load.
__global__ void box_filter(const unsigned char *g_DataIn, unsigned char *g_DataOut, unsigned int width, unsigned int height)
{
    __shared__ unsigned char sharedMem[BLOCK_H][BLOCK_W];
    int x = blockIdx.x * TILE_W + threadIdx.x - R;
    int y = blockIdx.y * TILE_H + threadIdx.y - R;
    x = max(0, x); x = min(x, (int)width - 1);
    y = max(y, 0); y = min(y, (int)height - 1);
    sharedMem[threadIdx.y][threadIdx.x] = g_DataIn[y * width + x];
    __syncthreads();

    const unsigned ox = blockIdx.x * TILE_W + threadIdx.x - R, oy = blockIdx.y * TILE_H + threadIdx.y - R;
    const bool inner = threadIdx.x >= R && threadIdx.x < BLOCK_W - R && threadIdx.y >= R && threadIdx.y < BLOCK_H - R;
    if (inner && ox < width && oy < height) {
        unsigned sum = 0;
        for (int dy = -R; dy <= R; dy++)
            for (int dx = -R; dx <= R; dx++) sum += sharedMem[threadIdx.y + dy][threadIdx.x + dx];
        g_DataOut[oy * width + ox] = sum / ((2 * R + 1) * (2 * R + 1));
    }
}
extern "C" void box_2d(const unsigned char *in, unsigned char *out, int w, int h)
{
    box_filter<<<dim3((w + TILE_W - 1) / TILE_W, (h + TILE_H - 1) / TILE_H), dim3(BLOCK_W, BLOCK_H)>>>(in, out, w, h);
}
#undef R

/* ---- three dimensions: seven points, planes held in registers on the way through z --------------------------------------------------- */
template <typename T>
__global__ void laplace7(const T *__restrict__ u, T *__restrict__ v, const int nx, const int ny, const int nz, const T c0, const T c1)
{
    extern __shared__ unsigned char plane_storage[];
    T *plane = reinterpret_cast<T *>(plane_storage);      // (blockDim.y + 2) x (blockDim.x + 2)
    const int pitch = blockDim.x + 2, here = (threadIdx.y + 1) * pitch + threadIdx.x + 1;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = i < nx && j < ny;
    auto at = [=](int x, int y, int z) -> T {
        return x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz ? u[((size_t)z * ny + y) * nx + x] : T(0);
    };
    T below = 0, centre = at(i, j, 0), above;
    for (int k = 0; k < nz; ++k) {
        above = at(i, j, k + 1);
        __syncthreads();   // the plane below has been read
        plane[here] = centre;
        if (threadIdx.x == 0) plane[here - 1] = at(i - 1, j, k);
        if (threadIdx.x == blockDim.x - 1) plane[here + 1] = at(i + 1, j, k);
        if (threadIdx.y == 0) plane[here - pitch] = at(i, j - 1, k);
        if (threadIdx.y == blockDim.y - 1) plane[here + pitch] = at(i, j + 1, k);
        __syncthreads();
        if (inside)
            v[((size_t)k * ny + j) * nx + i] =
                c0 * centre + c1 * (plane[here - 1] + plane[here + 1] + plane[here - pitch] + plane[here + pitch] + below + above);
        below = centre;
        centre = above;
    }
}
template <typename T>
static void laplace(const T *u, T *v, int nx, int ny, int nz)
{
    const dim3 block(8, 4), grid((nx + 7) / 8, (ny + 3) / 4);
    laplace7<T><<<grid, block, (block.x + 2) * (block.y + 2) * sizeof(T)>>>(u, v, nx, ny, nz, T(-6), T(1));
}
extern "C" void stencil_7_point(const double *u, double *v, int nx, int ny, int nz) { laplace(u, v, nx, ny, nz); }
extern "C" void stencil_7_point_float(const float *u, float *v, int nx, int ny, int nz) { laplace(u, v, nx, ny, nz); }

/* ---- heat: many steps, two buffers that change places, a barrier-free kernel per step ---------------------------------------------------- */
__global__ void heat_step(float const *const from, float *const to, int const n, float const r)
{
    int const i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) to[i] = from[i] + r * (from[i - 1] - 2.0f * from[i] + from[i + 1]);
}
extern "C" void heat(float *a, float *b, int n, int steps)
{
    cudaMemcpy(b, a, n * sizeof(float), cudaMemcpyDeviceToDevice);   // the ends never change
    for (int s = 0; s < steps; ++s) {
        heat_step<<<n > 2 ? ceil_div(n - 2, 32) : 1, 32>>>(s % 2 ? b : a, s % 2 ? a : b, n, 0.25f);
    }
}

/* ---- channels: a direct convolution layer with stride and padding, every output element by one thread --------------------------------------- */
struct ConvShape { int n, c, h, w, k, r, s, stride, pad; };

__host__ __device__ inline int out_size(int in, int filter_size, int stride, int pad) { return (in + 2 * pad - filter_size) / stride + 1; }

__global__ void conv2d_nchw(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias, float *__restrict__ y,
                            const __grid_constant__ ConvShape p)
{
    const int oh = out_size(p.h, p.r, p.stride, p.pad), ow = out_size(p.w, p.s, p.stride, p.pad);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n * p.k * oh * ow; i += gridDim.x * blockDim.x) {
        const int q = i % ow, o = i / ow % oh, k = i / (ow * oh) % p.k, n = i / (ow * oh * p.k);
        float sum = bias ? bias[k] : 0.f;
        for (int c = 0; c < p.c; ++c)
            for (int r = 0; r < p.r; ++r)
                for (int s = 0; s < p.s; ++s) {
                    const int ih = o * p.stride - p.pad + r, iw = q * p.stride - p.pad + s;
                    if ((unsigned)ih >= (unsigned)p.h || (unsigned)iw >= (unsigned)p.w) continue;
                    sum += x[((n * p.c + c) * p.h + ih) * p.w + iw] * w[((k * p.c + c) * p.r + r) * p.s + s];
                }
        y[i] = sum;
    }
}
extern "C" void conv2d(const float *x, const float *w, const float *bias, float *y, int size, int stride, int pad)
{
    ConvShape shape{.n = 2, .c = 3, .h = size, .w = size + 1, .k = 4, .r = 3, .s = 2, .stride = stride, .pad = pad};
    conv2d_nchw<<<5, 64>>>(x, w, bias, y, shape);
}
