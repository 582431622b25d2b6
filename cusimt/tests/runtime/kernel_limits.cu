// What a kernel's own declarations allow a launch: its __launch_bounds__ and the 48 KiB of static shared memory. Each case
// prints the error of its launch and what the launch computed; then come the findings, as JSON lines.
#include <cstdio>

extern "C" const char* simt_take_findings();

constexpr int kBound = 64;

template <int N, class T>
__global__ void __launch_bounds__(N, 1) bounded(T* out) { out[0] = N; }
template <class T, int N>
struct Shape {
    static constexpr int threads = N / 2;
};
__global__ __launch_bounds__(Shape<float, 128>::threads) void of_a_trait(float* out) { out[0] = 1; }
namespace {
__global__ void __launch_bounds__(kBound) hidden(float* out) { out[0] = 2; }
}  // namespace
extern "C" __global__ void __launch_bounds__(kBound) plain(float* out) { out[0] = 3; }
__global__ void unbounded(float* out) { out[0] = 4; }
#define DEFINE(name, ...) __global__ void __launch_bounds__(__VA_ARGS__) name(float* out) { out[0] = 5; }
DEFINE(of_a_macro, 64, 2)

template <int N>
__global__ void tiled(float* out) {
    extern __shared__ float dynamic[];
    __shared__ float tile[N];
    tile[threadIdx.x] = 1;
    if (out[1] > 0) dynamic[threadIdx.x] = 2;
    out[0] = tile[threadIdx.x] + N;
}
__device__ float scratch() {
    __shared__ float own[8192];
    own[threadIdx.x] = 1;
    __syncthreads();
    return own[threadIdx.x ^ 1];
}
__global__ void with_a_function(float* out) {
    __shared__ float tile[6144];
    tile[threadIdx.x] = scratch();
    __syncthreads();
    out[0] = tile[threadIdx.x ^ 1];
}
__global__ void large_dynamic(float* out) {
    extern __shared__ float dynamic[];
    dynamic[threadIdx.x] = out[1];
}

float* out;

void show(const char* what) {
    cudaError_t error = cudaGetLastError();
    float first = -1;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    printf("%s %s %g\n", what, cudaGetErrorName(error), first);
    cudaMemset(out, 0, 8);
}
#define SHOW(what, ...)   \
    do {                  \
        __VA_ARGS__;      \
        show(what);       \
    } while (0)

template <class Kernel>
void show_attributes(const char* what, Kernel kernel) {
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, kernel);
    int blocks = -1, grid = 0, block = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 65, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
    printf("%s: threads %d static %zu dynamic %d, blocks of 65: %d, best block %d\n", what, attributes.maxThreadsPerBlock,
           attributes.sharedSizeBytes, attributes.maxDynamicSharedSizeBytes, blocks, block);
}
#define SHOW_ATTRIBUTES(...) show_attributes(#__VA_ARGS__, __VA_ARGS__)

int main() {
    cudaMalloc(&out, 8);
    cudaMemset(out, 0, 8);
    void* arguments[] = {&out};
    SHOW("bounded<64><<<1, 64>>>(out)", bounded<64><<<1, 64>>>(out));
    SHOW("bounded<64><<<2, dim3(5, 13)>>>(out)", bounded<64><<<2, dim3(5, 13)>>>(out));
    SHOW("bounded<128, float><<<1, 65>>>(out)", bounded<128, float><<<1, 65>>>(out));
    SHOW("bounded<64, float><<<1, 65>>>(out)", bounded<64, float><<<1, 65>>>(out));
    SHOW("of_a_trait<<<1, 64>>>(out)", of_a_trait<<<1, 64>>>(out));
    SHOW("of_a_trait<<<1, 65>>>(out)", of_a_trait<<<1, 65>>>(out));
    SHOW("hidden<<<1, 65>>>(out)", hidden<<<1, 65>>>(out));
    SHOW("plain<<<1, 65>>>(out)", plain<<<1, 65>>>(out));
    SHOW("of_a_macro<<<1, 65>>>(out)", of_a_macro<<<1, 65>>>(out));
    SHOW("unbounded<<<1, 65>>>(out)", unbounded<<<1, 65>>>(out));
    SHOW("cudaLaunchKernel((void*)plain, dim3(1), dim3(65), arguments, 0, nullptr)", cudaLaunchKernel((void*)plain, dim3(1), dim3(65), arguments, 0, nullptr));
    SHOW("cudaLaunchCooperativeKernel((void*)plain, dim3(1), dim3(65), arguments, 0, nullptr)", cudaLaunchCooperativeKernel((void*)plain, dim3(1), dim3(65), arguments, 0, nullptr));
    SHOW("tiled<12288><<<1, 1>>>(out)", tiled<12288><<<1, 1>>>(out));
    SHOW("tiled<12289><<<1, 1>>>(out)", tiled<12289><<<1, 1>>>(out));
    SHOW("tiled<8192><<<1, 1, 16384>>>(out)", tiled<8192><<<1, 1, 16384>>>(out));
    SHOW("tiled<8192><<<1, 1, 16388>>>(out)", tiled<8192><<<1, 1, 16388>>>(out));
    SHOW("with_a_function<<<1, 2>>>(out)", with_a_function<<<1, 2>>>(out));
    SHOW("large_dynamic<<<1, 1, 49152>>>(out)", large_dynamic<<<1, 1, 49152>>>(out));
    SHOW("large_dynamic<<<1, 1, 49156>>>(out)", large_dynamic<<<1, 1, 49156>>>(out));
    SHOW_ATTRIBUTES(bounded<64, float>);
    SHOW_ATTRIBUTES(of_a_trait);
    SHOW_ATTRIBUTES(hidden);
    SHOW_ATTRIBUTES(plain);
    SHOW_ATTRIBUTES(unbounded);
    SHOW_ATTRIBUTES(tiled<8192>);
    constexpr auto dynamic_bytes = cudaFuncAttributeMaxDynamicSharedMemorySize;
    printf("%d %d\n", cudaFuncSetAttribute(tiled<8192>, dynamic_bytes, 232448 - 32768),
           cudaFuncSetAttribute(tiled<8192>, dynamic_bytes, 232448 - 32764));
    cudaGetLastError();
    SHOW("tiled<8192><<<1, 1, 100000>>>(out)", tiled<8192><<<1, 1, 100000>>>(out));
    fputs(simt_take_findings(), stdout);
    return 0;
}
