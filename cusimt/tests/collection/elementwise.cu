// One output element from the same element of the inputs, in a dozen authors' hands.
#include <cuda_fp16.h>
#include <cmath>
#include "checks.h"

/* ---- the tutorial: one thread per element -------------------------------------------------------------------------- */
__global__ void axpy_grid_stride(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x;
         i < n;
         i += blockDim.x * gridDim.x)
    {
        y[i] = a * x[i] + y[i];
    }
}

extern "C" void axpy(int n, float a, const float *x, float *y)
{
    int device, multiprocessors;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    axpy_grid_stride <<< n < 64 ? 1 : 3, multiprocessors > 0 ? 64 : 32 >>> (n, a, x, y);
    CHECK_LAUNCH();
}

/* ---- four at a time, the rest one at a time ------------------------------------------------------------------------ */
template <int kUnroll>
__global__ void __launch_bounds__(128, 8)
relu_vector(const float* __restrict__ in, float* __restrict__ out, const int n) {
  const int vectors = n / 4;
  const int stride = gridDim.x * blockDim.x;
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = (float4*)out;
#pragma unroll kUnroll
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    float4 v = __ldg(&in4[i]);
    v.x = fmaxf(v.x, 0.f); v.y = fmaxf(v.y, 0.f);
    v.z = fmaxf(v.z, 0.f); v.w = fmaxf(v.w, 0.f);
    out4[i] = v;
  }
  // the last n % 4 elements belong to the first threads of the last block
  const int tail = vectors * 4 + (int)threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && tail < n) out[tail] = in[tail] > 0.f ? in[tail] : 0.f;
}

extern "C" void relu(const float* in, float* out, int n) {
  relu_vector<4><<<2, 128>>>(in, out, n);
}

/* ---- templates over functors --------------------------------------------------------------------------------------- */
namespace functional {

template <typename T> struct Add { __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Mul { __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a * b; } };
template <typename T> struct Hypot {
    __device__ T operator()(T a, T b) const { return sqrt(a * a + b * b); }
};

template <class F, class G>
struct Compose {
    F f;
    G g;
    template <class T>
    __device__ T operator()(T a, T b) const { return f(g(a, b), a); }
};

namespace {
template <typename T, typename Op, int BLOCK = 256>
__global__ void zip(const T* a, const T* b, T* out, size_t n, Op op) {
    size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i >= n) return;
    out[i] = op(a[i], b[i]);
}
}  // namespace

template <typename T, template <typename> class Op>
void transform(const T* a, const T* b, T* out, size_t n, cudaStream_t stream = nullptr) {
    constexpr int block = 96;
    zip<T, Op<T>, block><<<(n + block - 1) / block, block, 0, stream>>>(a, b, out, n, Op<T>{});
}

}  // namespace functional

extern "C" void zip_functors(const double* a, const double* b, double* out, int n) {
    using namespace functional;
    transform<double, Add>(a, b, out, n);
    transform<double, Hypot>(a, b, out + n, n);
    // commas between template arguments, a cast in the grid, a trailing comma-free default
    zip<double, Compose<Add<double>, Mul<double>>, 64>
        <<<dim3(static_cast<unsigned>((n + 63) / 64), 1, 1), dim3(64)>>>(
            a, b, out + 2 * n, static_cast<size_t>(n), Compose<Add<double>, Mul<double>>());
}

/* ---- pairs of halves ------------------------------------------------------------------------------------------------ */
__global__ void half2_gelu_bias(const half *__restrict__ x, const half *__restrict__ bias, half *__restrict__ y, int rows, int cols)
{
    const half2 *x2 = reinterpret_cast<const half2 *>(x);
    const half2 *bias2 = reinterpret_cast<const half2 *>(bias);
    half2 *y2 = reinterpret_cast<half2 *>(y);
    const int pairs = cols >> 1;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < rows * pairs; i += blockDim.x * gridDim.x) {
        float2 v = __half22float2(__hadd2(x2[i], __ldg(bias2 + i % pairs)));
        v.x = 0.5f * v.x * (1.0f + erff(v.x * 0.70710678f));
        v.y = 0.5f * v.y * (1.0f + erff(v.y * 0.70710678f));
        y2[i] = __float22half2_rn(v);
    }
}

extern "C" void gelu_half2(const half *x, const half *bias, half *y, int rows, int cols)
{
    dim3 grid = {3};
    dim3 block = {64, 1, 1};
    half2_gelu_bias<<<grid,block>>>(x, bias, y, rows, cols);
}

/* ---- launches made by macros ----------------------------------------------------------------------------------------- */
#define DEFINE_UNARY(NAME, EXPRESSION)                                        \
  static __global__ void NAME##_kernel(const float *in, float *out, int n) {  \
    const int i = blockDim.x * blockIdx.x + threadIdx.x;                      \
    if (i < n) { const float x = in[i]; out[i] = (EXPRESSION); }              \
  }                                                                           \
  static void launch_##NAME(const float *in, float *out, int n) {             \
    NAME##_kernel<<<(n + 127) / 128, 128>>>(in, out, n);                      \
    CHECK_LAUNCH();                                                           \
  }

DEFINE_UNARY(square, x * x)
DEFINE_UNARY(sigmoid, 1.0f / (1.0f + expf(-x)))
DEFINE_UNARY(softplus, x > 20.0f ? x : log1pf(expf(x)))
DEFINE_UNARY(clip, fminf(fmaxf(x, -1.0f), 1.0f))

extern "C" void unary_by_macro(const float *in, float *out, int n)
{
    launch_square(in, out, n);
    launch_sigmoid(in, out + n, n);
    launch_softplus(in, out + 2 * n, n);
    launch_clip(in, out + 3 * n, n);
}

/* ---- a table of kernels ------------------------------------------------------------------------------------------------ */
typedef void (*BinaryKernel)(const int *, const int *, int *, int);

__global__ void add_int(const int *a, const int *b, int *c, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i<n) c[i] = a[i]+b[i]; }
__global__ void sub_int(const int *a, const int *b, int *c, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i<n) c[i] = a[i]-b[i]; }
__global__ void max_int(const int *a, const int *b, int *c, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i<n) c[i] = max(a[i],b[i]); }

static const struct { const char *name; BinaryKernel run; } kTable[] = {
    {"add", add_int},
    {"sub", &sub_int},
    {"max", max_int},
};

extern "C" void table_of_kernels(const int *a, const int *b, int *c, int n)
{
    for (unsigned k = 0; k < sizeof(kTable) / sizeof(*kTable); k++) {
        BinaryKernel kernel = kTable[k].run;
        if (k & 1)
            kTable[k].run<<<ceil_div(n, 32), 32>>>(a, b, c + k * n, n);
        else
            (*kernel)<<<ceil_div(n, 32), 32>>>(a, b, c + k * n, n);
    }
}

/* ---- extended lambdas and lambdas around launches ------------------------------------------------------------------------ */
template <typename F>
__global__ void for_each_index(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

extern "C" void lambdas(const float* in, float* out, int n) {
  const float scale = 3.0f;
  auto launch = [&](auto body) { for_each_index<<<2, 32>>>(n, body); };
  launch([=] __device__(int i) { out[i] = scale * in[i]; });
  launch([=] __host__ __device__ (int i) { out[n + i] = in[n - 1 - i]; });
  auto threads = [](int wanted) { return wanted < 32 ? wanted : 32; };
  for_each_index<<<1, threads(n)>>>(n, [out, n] __device__(int i) -> void { out[2 * n + i] = static_cast<float>(i * n); });
}

/* ---- the whole program in one function: copies, streams and a stopwatch, as old samples do -------------------------------- */
__global__ void
vectorAdd(const float *A, const float *B, float *C, int numElements)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < numElements)
    {
        C[i] = A[i] + B[i] + 0.0f;
    }
}

extern "C" void vector_add_program(const float *h_A, const float *h_B, float *h_C, int numElements)
{
    size_t size = numElements * sizeof(float);
    float *d_A = NULL, *d_B = NULL, *d_C = NULL;
    CUDA_CHECK(cudaMalloc((void **)&d_A, size));
    CUDA_CHECK(cudaMalloc((void **)&d_B, size));
    CUDA_CHECK(cudaMalloc((void **)&d_C, size));
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    CUDA_CHECK(cudaMemcpyAsync(d_A, h_A, size, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(d_B, h_B, size, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaEventRecord(start, stream));
    int threadsPerBlock = 256;
    int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
    vectorAdd<<<blocksPerGrid,
                threadsPerBlock,
                0 /* no dynamic shared memory */,
                stream>>>(d_A,
                          d_B,  // the second operand
                          d_C, numElements);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1.0f;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    if (milliseconds < 0.0f) exit(EXIT_FAILURE);
    CUDA_CHECK(cudaMemcpyAsync(h_C, d_C, size, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));

    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(d_A));
    CUDA_CHECK(cudaFree(d_B));
    CUDA_CHECK(cudaFree(d_C));
}
