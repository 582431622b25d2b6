// One kernel, three ways to give it memory that the host fills and reads: copies, mapped memory,
// managed memory. Build and run:  nvcc -std=c++17 three_ways.cu -o three_ways && ./three_ways
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check((call), #call)

void check(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
}

__global__ void add_one(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + 1.0f;
}

void launch(const float* x, float* out, int n) {
    add_one<<<(n + 255) / 256, 256>>>(x, out, n);
    CHECK(cudaGetLastError());
}

void fill(float* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = 0.5f * i;
}

double sum(const float* out, int n) {
    double total = 0;
    for (int i = 0; i < n; ++i) total += out[i];
    return total;
}

double with_copies(int n) {
    const size_t bytes = n * sizeof(float);
    std::vector<float> x(n), out(n);
    fill(x.data(), n);
    // --8<-- [start:copies]
    float *d_x = nullptr, *d_out = nullptr;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
    launch(d_x, d_out, n);
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
    // --8<-- [end:copies]
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_out));
    return sum(out.data(), n);
}

double with_mapped_memory(int n) {
    const size_t bytes = n * sizeof(float);
    // --8<-- [start:mapped]
    float *x = nullptr, *out = nullptr;  // host memory, pinned, at an address of the host
    CHECK(cudaHostAlloc(&x, bytes, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&out, bytes, cudaHostAllocMapped));
    float *d_x = nullptr, *d_out = nullptr;  // the same memory, at an address of the device
    CHECK(cudaHostGetDevicePointer(&d_x, x, 0));
    CHECK(cudaHostGetDevicePointer(&d_out, out, 0));
    fill(x, n);
    launch(d_x, d_out, n);           // every load and store of the kernel crosses the bus
    CHECK(cudaDeviceSynchronize());  // without a copy, nothing else waits for the kernel
    // --8<-- [end:mapped]
    const double total = sum(out, n);
    CHECK(cudaFreeHost(x));
    CHECK(cudaFreeHost(out));
    return total;
}

double with_managed_memory(int n) {
    const size_t bytes = n * sizeof(float);
    // --8<-- [start:managed]
    float *x = nullptr, *out = nullptr;  // one address, valid on both sides
    CHECK(cudaMallocManaged(&x, bytes));
    CHECK(cudaMallocManaged(&out, bytes));
    fill(x, n);                      // the host touches x: its pages are on the host
    launch(x, out, n);               // the kernel touches them: they move to the device
    CHECK(cudaDeviceSynchronize());  // the host must not read before the kernel is done
    // --8<-- [end:managed]
    const double total = sum(out, n);
    CHECK(cudaFree(x));
    CHECK(cudaFree(out));
    return total;
}

int main() {
    const int n = 1000;
    std::printf("copies:  %.1f\n", with_copies(n));
    std::printf("mapped:  %.1f\n", with_mapped_memory(n));
    std::printf("managed: %.1f\n", with_managed_memory(n));
}
