// The host's side of the CUDA runtime API: one case per run, which prints what it saw.
#include <cooperative_groups.h>
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#define SHOW(call) printf("%s\n", cudaGetErrorName(call))

__global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    if (i < n) x[i] *= factor;
    cudaTriggerProgrammaticLaunchCompletion();
}
template <typename T>
__global__ void total(const T* x, T* sum, int n) {
    auto grid = cooperative_groups::this_grid();
    if (grid.thread_rank() == 0) *sum = 0;
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(sum, x[i]);
}
__global__ void many_shared() {
    extern __shared__ char bytes[];
    bytes[threadIdx.x] = 0;
}

float* ramp(int n) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = float(i);
    float* device;
    cudaMalloc(&device, n * sizeof(float));
    cudaMemcpy(device, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return device;
}
void show(const float* device, int n) {
    std::vector<float> values(n);
    cudaMemcpy(values.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : values) printf("%g ", value);
    printf("\n");
}

void extended_launch() {
    float* x = ramp(8);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaLaunchAttribute overlap[1];
    overlap[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(4);
    config.stream = stream;
    config.attrs = overlap;
    config.numAttrs = 1;
    SHOW(cudaLaunchKernelEx(&config, scale, x, 3, 7));   // 3 becomes the float that the kernel takes
    void* arguments[] = {&x, nullptr, nullptr};
    float half = 0.5f;
    int n = 2;
    arguments[1] = &half;
    arguments[2] = &n;
    SHOW(cudaLaunchKernelExC(&config, (const void*)scale, arguments));
    show(x, 8);
}
void cooperative_launch() {
    float *x = ramp(100), *sum = ramp(1);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 3;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    SHOW(cudaLaunchKernelEx(&config, total<float>, x, sum, 100));
    show(sum, 1);
}
void clusters() {
    float* x = ramp(8);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 4;
    config.attrs = &attribute;
    config.numAttrs = 1;
    SHOW(cudaLaunchKernelEx(&config, scale, x, 3.0f, 8));
    SHOW(cudaGetLastError());
    attribute.val.clusterDim = {1, 1, 1};
    SHOW(cudaLaunchKernelEx(&config, scale, x, 3.0f, 8));
    show(x, 8);
}
void volumes() {
    cudaPitchedPtr volume;
    cudaExtent extent = make_cudaExtent(3 * sizeof(float), 2, 2);
    SHOW(cudaMalloc3D(&volume, extent));
    SHOW(cudaMemset3D(volume, 0, extent));
    float values[12], back[12] = {};
    for (int i = 0; i < 12; ++i) values[i] = float(i);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(values, 3 * sizeof(float), 3, 2);
    copy.dstPtr = volume;
    copy.extent = make_cudaExtent(2 * sizeof(float), 2, 2);   // without the last column
    copy.kind = cudaMemcpyHostToDevice;
    SHOW(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms home = {};
    home.srcPtr = volume;
    home.dstPtr = make_cudaPitchedPtr(back, 3 * sizeof(float), 3, 2);
    home.extent = extent;
    home.kind = cudaMemcpyDeviceToHost;
    SHOW(cudaMemcpy3DAsync(&home, cudaStream_t{}));
    for (float value : back) printf("%g ", value);
    printf("\n");
    copy.srcArray = reinterpret_cast<cudaArray_t>(values);
    SHOW(cudaMemcpy3D(&copy));
    cudaMemcpy3DPeerParms peer = {};
    peer.srcPtr = volume;
    peer.dstPtr = volume;
    peer.dstPos = make_cudaPos(2 * sizeof(float), 0, 0);   // the last column
    peer.extent = make_cudaExtent(sizeof(float), 2, 2);
    peer.srcPos = make_cudaPos(sizeof(float), 0, 0);
    SHOW(cudaMemcpy3DPeer(&peer));
    SHOW(cudaMemcpy3D(&home));
    for (float value : back) printf("%g ", value);
    printf("\n");
    peer.dstDevice = 99;
    SHOW(cudaMemcpy3DPeerAsync(&peer));
}
void rows() {
    float* x = ramp(6);
    SHOW(cudaMemset2DAsync(x, 3 * sizeof(float), 0, 2 * sizeof(float), 2));
    show(x, 6);
    float part[4];
    SHOW(cudaMemcpy2D(part, 2 * sizeof(float), x + 1, 3 * sizeof(float), 2 * sizeof(float), 2, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", part[0], part[1], part[2], part[3]);
    SHOW(cudaMemcpy2D(part, sizeof(float), x, 3 * sizeof(float), 2 * sizeof(float), 2, cudaMemcpyDeviceToHost));
}
__constant__ float first_words[2], second_words[2];
__device__ float first_sums[2], second_sums[2];
void bounds() {
    static float host[64];
    float *x = ramp(16), *pinned, *rows;
    size_t pitch = 0, wraps = size_t(-4);
    cudaMallocHost(&pinned, 64);
    SHOW(cudaMemcpy(x, host, wraps, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(x, pinned, wraps, cudaMemcpyDefault));
    SHOW(cudaMemcpy2D(x, size_t(1) << 62, host, 16, 16, 5, cudaMemcpyHostToDevice));
    SHOW(cudaMemset(x + 1, 0, wraps));
    SHOW(cudaMemcpyToSymbol(first_words, host, 8, wraps));
    SHOW(cudaMallocPitch(&rows, &pitch, size_t(1) << 33, size_t(1) << 31));
    SHOW(cudaMallocPitch(&rows, &pitch, wraps, 1));
    SHOW(cudaMemcpyToSymbol(first_words, host, 4, 4));
    SHOW(cudaMemcpyToSymbol(first_words, host, 12));
    SHOW(cudaMemcpyToSymbol(second_words, host, 12));
    SHOW(cudaMemcpyFromSymbolAsync(host, first_sums, 8, 4));
    SHOW(cudaMemcpyFromSymbol(host, second_sums, 8));
}
void pools() {
    cudaMemPool_t pool, created;
    SHOW(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull, read = 0, used = 0;
    SHOW(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    float* x;
    SHOW(cudaMallocFromPoolAsync((void**)&x, 4096, pool, nullptr));
    SHOW(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("%d %llu\n", read == threshold, used);
    SHOW(cudaFreeAsync(x, nullptr));
    SHOW(cudaMemPoolTrimTo(pool, 0));
    SHOW(cudaMemPoolCreate(&created, nullptr));
}
void occupancy() {
    int blocks = 0, grid = 0, block = 0;
    cudaFuncSetAttribute(many_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many_shared, 256, 50000));
    SHOW(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, many_shared, [](int threads) { return threads * 100; }));
    printf("%d %d %d\n", blocks, grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 300));
    printf("%d %d\n", grid, block);
    SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 16));
    printf("%d %d\n", grid, block);
    size_t bytes = 0;
    SHOW(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, many_shared, 2, 64));
    printf("%zu\n", bytes);
}
void callbacks() {
    static std::string order;
    float* x = ramp(4);
    scale<<<1, 4>>>(x, 2, 4);
    SHOW(cudaLaunchHostFunc(nullptr, [](void* text) { order += static_cast<const char*>(text); }, const_cast<char*>("a")));
    SHOW(cudaStreamAddCallback(nullptr, [](cudaStream_t, cudaError_t status, void*) { order += status ? "?" : "b"; }, nullptr, 0));
    printf("%s\n", order.c_str());
}
void device() {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int optin = 0, major = 0;
    cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0);
    printf("%d%d %d %d %zu %d %d %d\n", properties.major, properties.minor, properties.multiProcessorCount,
           properties.maxThreadsPerMultiProcessor, properties.sharedMemPerMultiprocessor, optin, major, blocks);
#ifdef __CUDA_ARCH__
    printf("the device's branch in host code\n");
#else
    printf("the host's branch\n");
#endif
}
// The same limit by a property, by the runtime's name and by the driver's; and what the device does not have.
void attributes() {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int width = 0, pitch = 0, virtual_memory = -1;
    cuInit(0);
    SHOW(cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture3DWidth, 0));
    cuDeviceGetAttribute(&pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, 0);
    cuDeviceGetAttribute(&virtual_memory, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 0);
    printf("%d %d\n", properties.maxTexture3D[0] == width, properties.maxTexture2DLinear[2] == pitch);
    printf("%d %d %d\n", properties.maxSurface1DLayered[1], properties.persistingL2CacheMaxSize, virtual_memory);
    SHOW(cudaDeviceGetAttribute(&width, cudaDeviceAttr(9999), 0));
}
__global__ void which_architecture(int* answer) {
#if __CUDA_ARCH__ >= 900
    *answer = 90;
#elif __CUDA_ARCH__ >= 800
    *answer = __CUDA_ARCH__ / 10;
#else
    *answer = -__CUDA_ARCH__;
#endif
}
__host__ __device__ int here(int device, int host) {
#ifdef __CUDA_ARCH__
    return device;
#else
    return host;
#endif
}
__global__ void which_side(int* answer) { *answer = here(1, 2); }
void architecture() {
    int* answer;
    cudaMallocManaged(&answer, 2 * sizeof(int));
    which_architecture<<<1, 1>>>(answer);
    which_side<<<1, 1>>>(answer + 1);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", answer[0], answer[1], here(1, 2));
}

void driver() {
    CUdevice device;
    int warp = 0, version = 0;
    const char *name, *text;
    char shown[64];
    CUresult begun = cuInit(0);
    printf("%d %d\n", begun, cuDeviceGet(&device, 99));
    CUresult found = cuDeviceGet(&device, 1);
    CUresult asked = cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
    CUresult named = cuDeviceGetName(shown, 8, device);
    printf("%d %d\n%d %d\n%d %s\n", found, device, asked, warp, named, shown);
    cuDriverGetVersion(&version);
    cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name);
    cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text);
    printf("%d %s: %s\n", version == CUDA_VERSION, name, text);
}

// What a kernel's clock() counts goes on from thread to thread, and is no processor time, as the host's is.
__global__ void read_clock(clock_t* times) { times[threadIdx.x] = clock(); }
void clocks() {
    clock_t* times;
    cudaMallocManaged(&times, 2 * sizeof(clock_t));
    read_clock<<<1, 2>>>(times);
    SHOW(cudaDeviceSynchronize());
    clock_t begin = clock();
    for (volatile int i = 0; clock() - begin < CLOCKS_PER_SEC / 100; ++i) {}  // 10 ms
    printf("%d %d\n", times[0] >= 0 && times[1] > times[0], times[1] < CLOCKS_PER_SEC);
}

void attached() {
    int *managed, *other;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocManaged(&managed, 64, cudaMemAttachHost);
    cudaMalloc(&other, 64);
    SHOW(cudaStreamAttachMemAsync(stream, managed));
    SHOW(cudaStreamAttachMemAsync(stream, managed, 64, cudaMemAttachHost));
    SHOW(cudaStreamAttachMemAsync(nullptr, managed, 0, cudaMemAttachGlobal));
    SHOW(cudaStreamAttachMemAsync(nullptr, managed));     // to a stream, and none is named
    SHOW(cudaStreamAttachMemAsync(stream, managed, 32));  // not the whole allocation
    SHOW(cudaStreamAttachMemAsync(stream, other));
    SHOW(cudaStreamAttachMemAsync(stream, managed, 0, 3));
}

void peers() {
    int rank = -1, access = 0, atomics = 0;
    SHOW(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1));
    SHOW(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, 1, 0));
    SHOW(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    printf("%d %d %d\n", rank, access, atomics);
    SHOW(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, 0, 0));
    SHOW(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, 0, 9));
    SHOW(cudaDeviceGetP2PAttribute(&access, cudaDeviceP2PAttr(77), 0, 1));
}

// The width of shared memory's banks can be asked for, and is four bytes.
void banks() {
    cudaSharedMemConfig width = cudaSharedMemBankSizeDefault;
    SHOW(cudaFuncSetSharedMemConfig(scale, cudaSharedMemBankSizeEightByte));
    SHOW(cudaFuncSetSharedMemConfig(nullptr, cudaSharedMemBankSizeEightByte));
    SHOW(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    SHOW(cudaDeviceGetSharedMemConfig(&width));
    printf("%d\n", width == cudaSharedMemBankSizeFourByte);
}

// What only a kernel may do, done by the host.
__device__ int block_total(int value) { return __syncthreads_count(value); }
void host_calls() { printf("%d\n", block_total(1)); }

int main(int, char** arguments) {
    static const std::map<std::string, void (*)()> cases = {
        {"extended_launch", extended_launch}, {"cooperative_launch", cooperative_launch}, {"clusters", clusters},
        {"volumes", volumes}, {"rows", rows}, {"bounds", bounds}, {"pools", pools}, {"occupancy", occupancy},
        {"callbacks", callbacks}, {"device", device}, {"architecture", architecture}, {"host_calls", host_calls},
        {"driver", driver}, {"banks", banks}, {"attributes", attributes}, {"clocks", clocks}, {"attached", attached}, {"peers", peers},
    };
    cases.at(arguments[1])();
}
