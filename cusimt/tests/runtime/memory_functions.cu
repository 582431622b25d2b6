// memcpy, memmove, memset and structures, in sizes that the compiler knows: `memory_functions NAME BYTES` launches a case and
// prints the last error and what the runtime found, as JSON lines.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" const char* simt_take_findings();

constexpr int THREADS = 64;

// Each thread has BYTES bytes of its own in both, or of `from` only.
template <int BYTES>
__global__ void copies(char* to, const char* from, int apart, int stride) {
    memcpy(to + threadIdx.x * apart, from + threadIdx.x * stride, BYTES);  // <- copies
}
template <int BYTES>
__global__ void std_copies(char* to, const char* from, int apart, int stride) {
    std::memcpy(to + threadIdx.x * apart, from + threadIdx.x * stride, BYTES);  // <- std_copies
}
template <int BYTES>
__global__ void built_in_copies(char* to, const char* from, int apart, int stride) {
    __builtin_memcpy(to + threadIdx.x * apart, from + threadIdx.x * stride, BYTES);  // <- built_in_copies
}
template <int BYTES>
__global__ void moves(char* to, const char* from, int apart, int stride) {
    memmove(to + threadIdx.x * apart, from + threadIdx.x * stride, BYTES);  // <- moves
}
template <int BYTES>
__global__ void fills(char* to, const char*, int apart, int) {
    memset(to + threadIdx.x * apart, 7 + threadIdx.x, BYTES);  // <- fills
}
template <int BYTES>
struct Block {
    char bytes[BYTES];
};
template <int BYTES>
__global__ void assigns(char* to, const char* from, int apart, int stride) {
    *reinterpret_cast<Block<BYTES>*>(to + threadIdx.x * apart) =
        *reinterpret_cast<const Block<BYTES>*>(from + threadIdx.x * stride);  // <- assigns
}
template <int BYTES>
__global__ void by_algorithm(char* to, const char* from, int apart, int stride) {
    std::copy_n(from + threadIdx.x * stride, BYTES, to + threadIdx.x * apart);  // <- by_algorithm
}
__global__ void adds(const char* from, unsigned* sum, int bytes) {
    unsigned own = 0;
    for (int i = 0; i < bytes; ++i) own += static_cast<unsigned char>(from[i * THREADS + threadIdx.x]);
    atomicAdd(sum, own);
}
// Shared memory: filled by thread 0, read by the others, with a barrier in between or without one.
template <int BYTES>
__global__ void shares(char* to, const char*, int barrier) {
    __shared__ char tile[BYTES];
    if (threadIdx.x == 0) memset(tile, 3, BYTES);  // <- shares
    if (barrier) __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x % BYTES];  // <- shared_read
}
__global__ void splits(float* out, const float* in) {
    int i = threadIdx.x;
    double whole;
    out[i] = modff(in[i], &out[THREADS + i]);
    sincosf(in[i], &out[2 * THREADS + i], &out[3 * THREADS + i]);  // <- splits
    out[i] += float(modf(double(in[i]), &whole));
}

template <int BYTES>
void run(const std::string& name) {
    char *from, *to;
    unsigned* sum;
    cudaMalloc(&from, THREADS * BYTES), cudaMalloc(&to, THREADS * BYTES), cudaMalloc(&sum, 4);
    cudaMemset(from, 1, BYTES), cudaMemset(from + BYTES, 2, (THREADS - 1) * BYTES), cudaMemset(sum, 0, 4);
    auto kernel = name.find("std_copies") == 0        ? std_copies<BYTES>
                  : name.find("built_in_copies") == 0 ? built_in_copies<BYTES>
                  : name.find("copies") == 0          ? copies<BYTES>
                  : name.find("moves") == 0           ? moves<BYTES>
                  : name.find("fills") == 0           ? fills<BYTES>
                  : name.find("assigns") == 0         ? assigns<BYTES>
                                                      : by_algorithm<BYTES>;
    if (name.find("past") != name.npos) kernel<<<1, THREADS + 1>>>(to, from, BYTES, BYTES);
    else if (name.find("together") != name.npos) kernel<<<1, 2>>>(to, from, 0, BYTES);
    else if (name.find("share") == 0) shares<BYTES><<<1, THREADS>>>(to, from, name == "share_by_barrier");
    else if (name != "splits") kernel<<<1, THREADS>>>(to, from, BYTES, BYTES), adds<<<1, THREADS>>>(to, sum, BYTES);
    float* numbers;
    cudaMalloc(&numbers, 5 * THREADS * sizeof(float));
    cudaMemset(numbers + 4 * THREADS, 0, THREADS * sizeof(float));
    if (name == "splits") splits<<<1, THREADS>>>(numbers, numbers + 4 * THREADS);
    if (name == "splits") adds<<<1, THREADS>>>(reinterpret_cast<char*>(numbers), sum, 16);
    cudaDeviceSynchronize();
}

int main(int, char** arguments) {
    std::string name = arguments[1];
    switch (atoi(arguments[2])) {
        case 1: run<1>(name); break;
        case 2: run<2>(name); break;
        case 3: run<3>(name); break;
        case 4: run<4>(name); break;
        case 8: run<8>(name); break;
        case 12: run<12>(name); break;
        case 16: run<16>(name); break;
        case 24: run<24>(name); break;
        case 64: run<64>(name); break;
    }
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    fputs(simt_take_findings(), stdout);
    return 0;
}
