// The first kernel is at fault; everything after it is correct. Which call reports the error?
// Build and run:  nvcc -std=c++17 -lineinfo late_error.cu -o late_error && ./late_error access
//   ./late_error launch    the first launch is refused: too many threads in a block
//   ./late_error access    the first kernel dereferences a null pointer
// With a second word, "checked", the program checks each launch; with "waited" it also waits for each kernel.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// --8<-- [start:report]
// Says which call reported an error, and ends the program.
void report(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::printf("reported by %s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
}
// --8<-- [end:report]

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}

__global__ void shift(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1.0f;
}

int main(int count, char** words) {
    const bool refused = count < 2 || std::strcmp(words[1], "launch") == 0;
    const bool waited = count > 2 && std::strcmp(words[2], "waited") == 0;
    const bool checked = waited || (count > 2 && std::strcmp(words[2], "checked") == 0);
    const int n = 100;
    float host[n] = {};
    float* x = nullptr;
    report(cudaMalloc(&x, sizeof host), "cudaMalloc");
    report(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice), "the first copy");
    // --8<-- [start:program]
    scale<<<1, refused ? 2048 : 128>>>(refused ? x : nullptr, n);  // the mistake
    if (checked) report(cudaGetLastError(), "the check after scale");
    if (waited) report(cudaDeviceSynchronize(), "the wait after scale");
    report(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost), "the copy after scale");
    shift<<<1, 128>>>(x, n);  // a correct launch
    report(cudaGetLastError(), "the check after shift");
    // --8<-- [end:program]
    std::puts("no call reported an error");
    return 0;
}
