// What the CUDA runtime answers, call by call: compiled by nvcc and run on an H200 it printed error_codes.h200.txt, and the
// simulated GPU must print the same. Each group runs in a process of its own, because some errors stay.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

__global__ void nothing() {}
__global__ void store(float* p, long i) { p[i] = 1; }
__global__ void trap() { __trap(); }
__global__ void asserts() { assert(threadIdx.x > 5); }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 3; }
__constant__ float constant[4];
__device__ float variable[4];

static void show(const char* call, cudaError_t error) { printf("  %s -> %d %s\n", call, (int)error, cudaGetErrorName(error)); }
#define SHOW(...) show(#__VA_ARGS__, __VA_ARGS__)
#define LAUNCH(text, ...)         \
    do {                          \
        printf("  %s:\n", text);  \
        __VA_ARGS__;              \
        SHOW(cudaGetLastError()); \
    } while (0)

static void launches() {
    nothing<<<1, 1025>>>();
    SHOW(cudaPeekAtLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    LAUNCH("nothing<<<0, 1>>>()", nothing<<<0, 1>>>());
    LAUNCH("nothing<<<1, 0>>>()", nothing<<<1, 0>>>());
    LAUNCH("nothing<<<1, dim3(1, 1, 65)>>>()", nothing<<<1, dim3(1, 1, 65)>>>());
    LAUNCH("nothing<<<dim3(1, 65536), 1>>>()", nothing<<<dim3(1, 65536), 1>>>());
    LAUNCH("nothing<<<dim3(1, 1, 65536), 1>>>()", nothing<<<dim3(1, 1, 65536), 1>>>());
    LAUNCH("nothing<<<2147483648u, 1>>>()", nothing<<<2147483648u, 1>>>());
    LAUNCH("nothing<<<1, 1, 49153>>>()", nothing<<<1, 1, 49153>>>());
    LAUNCH("nothing<<<1, 1, 232449>>>()", nothing<<<1, 1, 232449>>>());
    SHOW(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
    SHOW(cudaGetLastError());
    SHOW(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    LAUNCH("nothing<<<1, 1, 232448>>>()", nothing<<<1, 1, 232448>>>());
}

static void allocations() {
    float *p, *q, *pinned, *managed;
    int local;
    cudaMalloc(&p, 100);
    SHOW(cudaFree(p));
    SHOW(cudaFree(p));
    SHOW(cudaGetLastError());
    cudaMalloc(&q, 100);
    SHOW(cudaFree(q + 1));
    SHOW(cudaFree(&local));
    SHOW(cudaFree(nullptr));
    SHOW(cudaFreeHost(nullptr));
    SHOW(cudaMalloc(&p, 0));
    printf("  null: %d\n", p == nullptr);
    SHOW(cudaMalloc((void**)nullptr, 4));
    SHOW(cudaMalloc(&p, 1ull << 50));
    SHOW(cudaGetLastError());
    SHOW(cudaFreeAsync(nullptr, 0));
    SHOW(cudaMallocManaged(&managed, 0));
    SHOW(cudaFreeHost(q));
    cudaMallocHost(&pinned, 4);
    SHOW(cudaFree(pinned));
    SHOW(cudaFreeHost(malloc(4)));
}

static void copies() {
    float *d, *e, h[64], *m, *p;
    cudaMalloc(&d, 256);
    cudaMalloc(&e, 256);
    cudaMallocManaged(&m, 256);
    cudaMallocHost(&p, 256);
    SHOW(cudaMemcpy(d, h, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, h, 256, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(h, h, 128, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(h, h + 32, 128, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(d, e, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, e, 256, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(h, d, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(h, d, 256, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(h, d, 256, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(h, d, 256, cudaMemcpyDefault));
    SHOW(cudaMemcpy(d, d, 256, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(d, h, 256, (cudaMemcpyKind)7));
    SHOW(cudaMemcpy(nullptr, h, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, nullptr, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, p, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(p, h, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(p, d, 256, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(m, d, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(m, h, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(d, 4, h, 8, 8, 2, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, h, 300, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d + 1, h, 256, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d + 600000000, h, 4, cudaMemcpyHostToDevice));
    cudaFree(e);
    SHOW(cudaMemcpy(e, h, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemset(h, 0, 4));
    SHOW(cudaMemset(p, 0, 4));
    SHOW(cudaMemset(nullptr, 0, 4));
    SHOW(cudaMemset(m, 0, 4));
}

static void symbols() {
    float h[64];
    void* address;
    cudaPointerAttributes attributes;
    SHOW(cudaMemcpyToSymbol(constant, h, 16));
    SHOW(cudaMemcpyToSymbol(constant, h, 17));
    SHOW(cudaGetLastError());
    SHOW(cudaMemcpyFromSymbol(h, variable, 16));
    SHOW(cudaMemcpyToSymbol(variable, h, 8, 12));
    SHOW(cudaGetSymbolAddress(&address, variable));
    SHOW(cudaPointerGetAttributes(&attributes, address));
    printf("  type %d\n", attributes.type);
    SHOW(cudaPointerGetAttributes(&attributes, h));
    printf("  type %d device %d\n", attributes.type, attributes.device);
}

static void sticky() {
    float *d, h;
    int value;
    size_t free_bytes, total_bytes;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaDeviceProp properties;
    cudaPointerAttributes attributes;
    cudaMalloc(&d, 256);
    store<<<1, 1>>>(d, 1l << 40);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&d, 4));
    SHOW(cudaDeviceSynchronize());
    nothing<<<1, 1>>>();
    SHOW(cudaGetLastError());
    SHOW(cudaFree(d));
    SHOW(cudaStreamCreate(&stream));
    SHOW(cudaEventCreate(&event));
    SHOW(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    SHOW(cudaGetDevice(&value));
    SHOW(cudaSetDevice(0));
    SHOW(cudaGetDeviceCount(&value));
    SHOW(cudaGetDeviceProperties(&properties, 0));
    SHOW(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    SHOW(cudaPointerGetAttributes(&attributes, d));
    SHOW(cudaMemGetInfo(&free_bytes, &total_bytes));
}

static void host_pointer() {
    float h[4];
    store<<<1, 1>>>(h, 0);
    SHOW(cudaDeviceSynchronize());
}

static void null_pointer() {
    store<<<1, 1>>>(nullptr, 0);
    SHOW(cudaDeviceSynchronize());
}

static void trapped() {
    trap<<<1, 1>>>();
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGetLastError());
}

static void asserted() {
    asserts<<<1, 1>>>();
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGetLastError());
}

static void misaligned_access() {
    char* d;
    cudaMalloc(&d, 256);
    misaligned<<<1, 1>>>(d);
    SHOW(cudaDeviceSynchronize());
}

static void streams() {
    cudaStream_t stream;
    cudaEvent_t a, b;
    float ms;
    int least, greatest, value;
    SHOW(cudaStreamCreate(&stream));
    SHOW(cudaEventCreate(&a));
    SHOW(cudaEventCreate(&b));
    SHOW(cudaEventElapsedTime(&ms, a, b));
    SHOW(cudaGetLastError());
    SHOW(cudaEventQuery(a));
    SHOW(cudaEventSynchronize(a));
    SHOW(cudaEventRecord(a, stream));
    SHOW(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("  %d %d\n", least, greatest);
    SHOW(cudaSetDevice(99));
    SHOW(cudaGetLastError());
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaStreamCreateWithFlags(&stream, 8));
    SHOW(cudaEventCreateWithFlags(&a, 64));
    SHOW(cudaStreamDestroy(0));
    SHOW(cudaEventDestroy(nullptr));
    SHOW(cudaStreamWaitEvent(stream, b, 0));
    SHOW(cudaEventRecord(nullptr, 0));
    SHOW(cudaEventDestroy(b));
    SHOW(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
}

static void device_limits() {
    cudaDeviceProp p;
    int blocks;
    size_t bytes;
    cudaGetDeviceProperties(&p, 0);
    printf("  sm_%d%d, %d multiprocessors, shared %zu, opt-in %zu, per multiprocessor %zu, reserved %zu\n", p.major, p.minor,
           p.multiProcessorCount, p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor,
           p.reservedSharedMemPerBlock);
    printf("  L2 %d, registers %d, constant %zu, bus %d, blocks per multiprocessor %d, copy engines %d\n", p.l2CacheSize,
           p.regsPerBlock, p.totalConstMem, p.memoryBusWidth, p.maxBlocksPerMultiProcessor, p.asyncEngineCount);
    for (int threads : {32, 96, 128, 256, 512, 768, 1024})
        for (int shared : {0, 8192, 49152}) {
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, threads, shared);
            printf("  %d threads, %d bytes: %d blocks\n", threads, shared, blocks);
        }
    for (cudaLimit limit : {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize}) {
        cudaDeviceGetLimit(&bytes, limit);
        printf("  limit %d: %zu\n", limit, bytes);
    }
}

static void apart(const char* name, void (*group)()) {
    printf("%s\n", name);
    fflush(stdout);
    if (fork() == 0) {
        group();
        fflush(stdout);
        _exit(0);
    }
    wait(nullptr);
}

int main() {
    apart("launches", launches);
    apart("allocations", allocations);
    apart("copies", copies);
    apart("symbols", symbols);
    apart("sticky", sticky);
    apart("host pointer", host_pointer);
    apart("null pointer", null_pointer);
    apart("trap", trapped);
    apart("assert", asserted);
    apart("misaligned", misaligned_access);
    apart("streams", streams);
    apart("device limits", device_limits);
}
