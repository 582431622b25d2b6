// Launches that a sampling run runs in part.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

extern "C" const char* simt_take_findings();

constexpr int kBlocks = 64, kThreads = 32, N = kBlocks * kThreads;

__global__ void mark(int* seen) {
    if (threadIdx.x == 0) seen[blockIdx.x] = 1;
}
__global__ void past_the_end_in_block(int* x, unsigned block) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 1;
    if (blockIdx.x == block && threadIdx.x == 0) x[N] = 1;  // <- past_the_end
}
__global__ void fill(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = int(threadIdx.x); }
__global__ void gather(const int* index, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = index[index[i]];
}
// Each block waits for the one before it.
__global__ void chain(int* turn) {
    if (threadIdx.x) return;
    while (atomicAdd(turn, 0) != int(blockIdx.x)) {
    }
    __threadfence();
    atomicAdd(turn, 1);
}

template <class T>
T* memory(int count, bool blank) {
    T* p;
    cudaMalloc(&p, count * sizeof(T));
    if (!blank) cudaMemset(p, 0, count * sizeof(T));
    return p;
}

int main(int, char** arguments) {
    const char* name = arguments[1];
    auto is = [&](const char* other) { return strcmp(name, other) == 0; };
    int* x = memory<int>(N, is("producer"));
    int* out = memory<int>(N, false);
    if (is("mark")) mark<<<kBlocks, kThreads>>>(x);
    if (is("last_block")) past_the_end_in_block<<<kBlocks, kThreads>>>(x, kBlocks - 1);
    if (is("some_block")) past_the_end_in_block<<<kBlocks, kThreads>>>(x, 1);
    if (is("producer")) {
        fill<<<kBlocks, kThreads>>>(x);
        gather<<<kBlocks, kThreads>>>(x, out);
    }
    if (is("chain")) chain<<<kBlocks, kThreads>>>(x);
    std::vector<int> host(N);
    cudaMemcpy(host.data(), x, N * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < kBlocks; ++i) printf("%d ", host[i]);
    printf("\n%s\n", cudaGetErrorName(cudaGetLastError()));
    fputs(simt_take_findings(), stdout);
}
