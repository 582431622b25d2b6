// Points, boxes and images.
#include <float.h>
#include <stdint.h>
#include "checks.h"

/* ---- n bodies, tile by tile ------------------------------------------------------------------------------------------------- */
#define SOFTENING 1e-9f

typedef struct { float4 *pos, *vel; } BodySystem;

extern __shared__ float4 sharedPos[];

__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj)
{
    float3 r;
    r.x = bj.x - bi.x; r.y = bj.y - bi.y; r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
    distSqr += SOFTENING;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s; ai.y += r.y * s; ai.z += r.z * s;
    return ai;
}

__global__ void integrateBodies(float4 *newPos, BodySystem p, float deltaTime, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    float4 position = i < n ? p.pos[i] : make_float4(0, 0, 0, 0);
    float3 accel = {0.0f, 0.0f, 0.0f};
    for (int tile = 0; tile < gridDim.x; tile++) {
        const int other = tile * blockDim.x + threadIdx.x;
        sharedPos[threadIdx.x] = other < n ? p.pos[other] : float4{0, 0, 0, 0};   // no mass, no pull
        __syncthreads();
#pragma unroll 32
        for (int j = 0; j < blockDim.x; j++)
            accel = bodyBodyInteraction(accel, position, sharedPos[j]);
        __syncthreads();
    }
    if (i >= n) return;
    float4 v = p.vel[i];
    v.x += accel.x * deltaTime; v.y += accel.y * deltaTime; v.z += accel.z * deltaTime;
    position.x += v.x * deltaTime; position.y += v.y * deltaTime; position.z += v.z * deltaTime;
    newPos[i] = position;
    p.vel[i] = v;
}
extern "C" void nbody(float4 *pos, float4 *vel, float4 *new_pos, int n, float dt)
{
    const int threads = 32;
    BodySystem system = {pos, vel};
    integrateBodies<<<(n + threads - 1) / threads, threads, threads * sizeof(float4)>>>(new_pos, system, dt, n);
}

/* ---- farthest point sampling: one block per cloud, a reduction per sample ------------------------------------------------------- */
template <unsigned int block_size>
__global__ void farthest_point_sampling_kernel(int b, int n, int m, const float *__restrict__ dataset, float *__restrict__ temp, int *__restrict__ idxs) {
  if (m <= 0) return;
  __shared__ float dists[block_size];
  __shared__ int dists_i[block_size];

  int batch_index = blockIdx.x;
  dataset += batch_index * n * 3;
  temp += batch_index * n;
  idxs += batch_index * m;

  int tid = threadIdx.x;
  const int stride = block_size;
  int old = 0;
  if (threadIdx.x == 0) idxs[0] = old;

  for (int j = 1; j < m; j++) {
    int besti = 0;
    float best = -1;
    float x1 = dataset[old * 3 + 0];
    float y1 = dataset[old * 3 + 1];
    float z1 = dataset[old * 3 + 2];
    for (int k = tid; k < n; k += stride) {
      float x2 = dataset[k * 3 + 0], y2 = dataset[k * 3 + 1], z2 = dataset[k * 3 + 2];
      float d = (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1) + (z2 - z1) * (z2 - z1);
      float d2 = min(d, temp[k]);
      temp[k] = d2;
      besti = d2 > best ? k : besti;
      best = d2 > best ? d2 : best;
    }
    dists[tid] = best;
    dists_i[tid] = besti;
    __syncthreads();
    for (unsigned s = block_size / 2; s > 0; s >>= 1) {
      if (tid < s) {
        const bool take = dists[tid + s] > dists[tid] || (dists[tid + s] == dists[tid] && dists_i[tid + s] < dists_i[tid]);
        if (take) { dists[tid] = dists[tid + s]; dists_i[tid] = dists_i[tid + s]; }
      }
      __syncthreads();
    }
    old = dists_i[0];
    if (tid == 0) idxs[j] = old;
    __syncthreads();   // all have read the winner
  }
}
extern "C" void farthest_points(int b, int n, int m, const float *points, float *temp, int *idxs) {
  switch (n >= 64 ? 64 : 16) {
    case 64: farthest_point_sampling_kernel<64><<<b, 64>>>(b, n, m, points, temp, idxs); break;
    default: farthest_point_sampling_kernel<16><<<b, 16>>>(b, n, m, points, temp, idxs);
  }
}

/* ---- ball query: the first neighbours within a radius, the first one fills the rest ------------------------------------------------- */
__global__ void ball_query_kernel(int n, int m, float radius2, int nsample, const float3 *__restrict__ xyz, const float3 *__restrict__ centres, int *__restrict__ idx)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;
    const float3 c = centres[j];
    int *out = idx + j * nsample;
    for (int k = 0, count = 0; k < n && count < nsample; ++k) {
        const float3 p = xyz[k];
        const float d2 = (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y) + (p.z - c.z) * (p.z - c.z);
        if (d2 >= radius2) continue;
        if (count == 0)
            for (int l = 0; l < nsample; ++l) out[l] = k;
        out[count++] = k;
    }
}
extern "C" void ball_query(int n, int m, float radius, int nsample, const float3 *xyz, const float3 *centres, int *idx)
{
    ball_query_kernel<<<(m + 31) / 32, 32>>>(n, m, radius * radius, nsample, xyz, centres, idx);
}

/* ---- non-maximum suppression: 64 boxes against 64 boxes, a bit each -------------------------------------------------------------------- */
int const threadsPerBlock = sizeof(unsigned long long) * 8;

template <typename T>
__device__ inline bool devIoU(T const* const a, T const* const b, const float threshold) {
  T left = max(a[0], b[0]), right = min(a[2], b[2]);
  T top = max(a[1], b[1]), bottom = min(a[3], b[3]);
  T width = max(right - left, (T)0), height = max(bottom - top, (T)0);
  T interS = width * height;
  T Sa = (a[2] - a[0]) * (a[3] - a[1]);
  T Sb = (b[2] - b[0]) * (b[3] - b[1]);
  return (interS / (Sa + Sb - interS)) > threshold;
}

template <typename T>
__global__ void nms_kernel_impl(int n_boxes, double iou_threshold, const T* dev_boxes, unsigned long long* dev_mask) {
  const int row_start = blockIdx.y;
  const int col_start = blockIdx.x;
  if (row_start > col_start) return;

  const int row_size = min(n_boxes - row_start * threadsPerBlock, threadsPerBlock);
  const int col_size = min(n_boxes - col_start * threadsPerBlock, threadsPerBlock);

  __shared__ T block_boxes[threadsPerBlock * 4];
  if (threadIdx.x < col_size) {
    block_boxes[threadIdx.x * 4 + 0] = dev_boxes[(threadsPerBlock * col_start + threadIdx.x) * 4 + 0];
    block_boxes[threadIdx.x * 4 + 1] = dev_boxes[(threadsPerBlock * col_start + threadIdx.x) * 4 + 1];
    block_boxes[threadIdx.x * 4 + 2] = dev_boxes[(threadsPerBlock * col_start + threadIdx.x) * 4 + 2];
    block_boxes[threadIdx.x * 4 + 3] = dev_boxes[(threadsPerBlock * col_start + threadIdx.x) * 4 + 3];
  }
  __syncthreads();

  if (threadIdx.x < row_size) {
    const int cur_box_idx = threadsPerBlock * row_start + threadIdx.x;
    const T* cur_box = dev_boxes + cur_box_idx * 4;
    unsigned long long t = 0;
    int start = 0;
    if (row_start == col_start) start = threadIdx.x + 1;
    for (int i = start; i < col_size; i++) {
      if (devIoU<T>(cur_box, block_boxes + i * 4, iou_threshold)) t |= 1ULL << i;
    }
    const int col_blocks = (n_boxes + threadsPerBlock - 1) / threadsPerBlock;
    dev_mask[cur_box_idx * col_blocks + col_start] = t;
  }
}
extern "C" void nms(const float* boxes, unsigned long long* mask, int n, float threshold) {
  const int col_blocks = ceil_div(n, threadsPerBlock);
  dim3 blocks(col_blocks, col_blocks);
  dim3 threads(threadsPerBlock);
  CUDA_CHECK(cudaMemset(mask, 0, n * col_blocks * sizeof(unsigned long long)));
  nms_kernel_impl<float><<<blocks, threads>>>(n, threshold, boxes, mask);
}

/* ---- grid sample: bilinear, zeros outside, corners aligned; and its gradient with respect to the image ------------------------------------- */
struct Corner { int x, y; float weight; };

static __device__ __noinline__ void corners_of(float gx, float gy, int w, int h, Corner (&corners)[4])
{
    const float x = (gx + 1.f) * .5f * (w - 1), y = (gy + 1.f) * .5f * (h - 1);
    const int x0 = __float2int_rd(x), y0 = __float2int_rd(y);
    const float fx = x - x0, fy = y - y0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        corners[i] = Corner{x0 + (i & 1), y0 + (i >> 1), ((i & 1) ? fx : 1.f - fx) * ((i >> 1) ? fy : 1.f - fy)};
}

__device__ bool inside(const Corner &c, int w, int h) { return c.x >= 0 && c.x < w && c.y >= 0 && c.y < h; }

__global__ void grid_sample_kernel(const float *image, const float2 *grid, float *out, int c, int h, int w, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Corner corners[4];
    corners_of(grid[i].x, grid[i].y, w, h, corners);
    for (int ch = 0; ch < c; ++ch) {
        float sum = 0;
        for (const Corner &corner : corners)
            if (inside(corner, w, h)) sum += corner.weight * image[(ch * h + corner.y) * w + corner.x];
        out[ch * count + i] = sum;
    }
}
__global__ void grid_sample_backward_kernel(float *dimage, const float2 *grid, const float *dout, int c, int h, int w, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Corner corners[4];
    corners_of(grid[i].x, grid[i].y, w, h, corners);
    for (int ch = 0; ch < c; ++ch)
        for (const auto &[x, y, weight] : corners)
            if (inside({x, y, weight}, w, h)) atomicAdd(&dimage[(ch * h + y) * w + x], weight * dout[ch * count + i]);
}
extern "C" void grid_sample(const float *image, const float2 *grid, float *out, const float *dout, float *dimage, int c, int h, int w, int count)
{
    grid_sample_kernel<<<(count + 31) / 32, 32>>>(image, grid, out, c, h, w, count);
    cudaMemset(dimage, 0, sizeof(float) * c * h * w);
    grid_sample_backward_kernel<<<(count + 31) / 32, 32>>>(dimage, grid, dout, c, h, w, count);
}

/* ---- region of interest, aligned and averaged ------------------------------------------------------------------------------------------------- */
template <typename T>
__device__ T bilinear_interpolate(const T* input, int height, int width, T y, T x) {
  if (y < -1.0 || y > height || x < -1.0 || x > width) return 0;
  if (y <= 0) y = 0;
  if (x <= 0) x = 0;
  int y_low = (int)y, x_low = (int)x, y_high, x_high;
  if (y_low >= height - 1) { y_high = y_low = height - 1; y = (T)y_low; } else { y_high = y_low + 1; }
  if (x_low >= width - 1) { x_high = x_low = width - 1; x = (T)x_low; } else { x_high = x_low + 1; }
  T ly = y - y_low, lx = x - x_low;
  T hy = 1. - ly, hx = 1. - lx;
  T v1 = input[y_low * width + x_low], v2 = input[y_low * width + x_high];
  T v3 = input[y_high * width + x_low], v4 = input[y_high * width + x_high];
  return hy * hx * v1 + hy * lx * v2 + ly * hx * v3 + ly * lx * v4;
}

#define CUDA_1D_KERNEL_LOOP(i, n) for (int i = (blockIdx.x * blockDim.x) + threadIdx.x; i < (n); i += (blockDim.x * gridDim.x))

template <typename T>
__global__ void roi_align_forward_kernel(int nthreads, const T* input, const T spatial_scale, int channels, int height, int width,
                                         int pooled, int sampling_ratio, const T* rois, T* output) {
  CUDA_1D_KERNEL_LOOP(index, nthreads) {
    int pw = index % pooled, ph = (index / pooled) % pooled;
    int c = (index / pooled / pooled) % channels, n = index / pooled / pooled / channels;
    const T* offset_rois = rois + n * 5;
    int roi_batch_ind = offset_rois[0];
    T roi_start_w = offset_rois[1] * spatial_scale - (T)0.5, roi_start_h = offset_rois[2] * spatial_scale - (T)0.5;
    T roi_width = offset_rois[3] * spatial_scale - (T)0.5 - roi_start_w, roi_height = offset_rois[4] * spatial_scale - (T)0.5 - roi_start_h;
    T bin_size_h = roi_height / pooled, bin_size_w = roi_width / pooled;
    const T* offset_input = input + (roi_batch_ind * channels + c) * height * width;
    int grid_h = (sampling_ratio > 0) ? sampling_ratio : ceil(roi_height / pooled);
    int grid_w = (sampling_ratio > 0) ? sampling_ratio : ceil(roi_width / pooled);
    const T count = max(grid_h * grid_w, 1);
    T output_val = 0.;
    for (int iy = 0; iy < grid_h; iy++) {
      const T y = roi_start_h + ph * bin_size_h + static_cast<T>(iy + .5f) * bin_size_h / static_cast<T>(grid_h);
      for (int ix = 0; ix < grid_w; ix++) {
        const T x = roi_start_w + pw * bin_size_w + static_cast<T>(ix + .5f) * bin_size_w / static_cast<T>(grid_w);
        output_val += bilinear_interpolate(offset_input, height, width, y, x);
      }
    }
    output[index] = output_val / count;
  }
}
extern "C" void roi_align(const double* input, const double* rois, double* output, int rois_count, int channels, int height, int width, int pooled) {
  const int outputs = rois_count * channels * pooled * pooled;
  dim3 grid(min(ceil_div(outputs, 32), 4096)), block(32);
  if (outputs == 0) return;
  roi_align_forward_kernel<double><<<grid, block, 0, 0>>>(outputs, input, 0.5, channels, height, width, pooled, 2, rois, output);
}
