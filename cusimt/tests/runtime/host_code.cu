// Kernels that call code of the host, and such that call what a GPU has.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <sstream>
#include <tuple>

#include "simt_api.h"

struct Pointers {
    float (*function)(float);
    int (*compare)(const void*, const void*, size_t);
    const char* (*find)(const char*, int);
};

__global__ void compares_memory(float* out, Pointers) {
    out[0] = __builtin_memcmp(out, out + 1, 24);  // <- compares_memory
}
__global__ void locks(float* out, Pointers) {
    pthread_spin_lock(reinterpret_cast<pthread_spinlock_t*>(out));  // <- locks
}
__global__ void prints_to_a_stream(float*, Pointers) {
    std::ostringstream stream;  // <- prints_to_a_stream
    stream << 1;
}
__global__ void calls_what_the_loader_bound(float* out, Pointers host) {
    out[0] = host.find(reinterpret_cast<char*>(out), 1) != nullptr;  // <- calls_what_the_loader_bound
}
__global__ void calls_by_address(float* out, Pointers host) { out[0] = host.compare(out, out + 1, 4); }  // <- calls_by_address
__global__ void calls_what_is_volatile(float* out, Pointers) {
    int (*volatile compare)(const void*, const void*, size_t) = bcmp;
    out[0] = compare(out, out + 1, 4);  // <- calls_what_is_volatile
}
__global__ void allocates_zeros(float* out, Pointers) { out[0] = calloc(8, 1) != nullptr; }  // <- allocates_zeros
__host__ __device__ __noinline__ void fails() { throw 3; }  // <- throws
__global__ void throws(float* out, Pointers) {
    if (out) fails();
}
__global__ void reads_a_number(float* out, Pointers) {
    out[0] = strtof(reinterpret_cast<char*>(out), nullptr);  // <- reads_a_number
}
__global__ void counts_letters(float* out, Pointers) {
    printf("abc%1$*2$n\n", reinterpret_cast<int*>(out), 1);  // <- counts_letters
}
__global__ void signs_gamma(float* out, Pointers) {
    out[0] = lgammaf_r(0.5f, reinterpret_cast<int*>(out + 1));  // <- signs_gamma
}

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float of) : side(of) {}
    __device__ float area() const override { return side * side; }
};
__device__ float twice(float x) { return 2 * x; }
template <typename F>
__device__ __noinline__ float applied(F f, float x) { return f(x); }
__device__ int chosen(unsigned i) {
    switch (i) {
        case 0: return 5;
        case 1: return 17;
        case 2: return 3;
        case 3: return 99;
        case 4: return 12;
        case 5: return 77;
        default: return 1;
    }
}

__global__ void is_a_kernel(float* out, Pointers host) {
    Square square(3);
    const Shape* volatile shape = &square;
    float (*volatile function)(float) = twice;
    float (*volatile sine)(float) = sinf;
    std::array<float, 3> numbers{3, 1, 2};
    std::sort(numbers.begin(), numbers.end());
    auto [least, most] = std::tuple(std::min(numbers[0], 7.0f), std::max(numbers[2], 0.5f));
    float whole, sines, cosines;
    sincosf(0.0f, &sines, &cosines);
    out[0] = shape->area();
    out[1] = function(4) + sine(0) + host.function(0);
    out[2] = least + most + std::optional<float>(0.5f).value_or(0);
    out[3] = applied([=](float x) { return x + most; }, 1) + applied(twice, 1);
    out[4] = chosen(unsigned(out[0])) + chosen(unsigned(least));
    out[5] = modff(2.5f, &whole) + whole + expf(sines) + cosines;
    auto nine = (unsigned long long)(out[0]);
    out[5] += __builtin_popcountll(nine) + float(__int128(nine) * -7 / __int128(nine)) + abs(exp(std::complex<float>(sines)));
    printf("%.0f %s\n", out[0], "printed");
    printf("a line\n");
}

using Kernel = void (*)(float*, Pointers);
int main(int, char** arguments) {
    const std::pair<const char*, Kernel> kernels[] = {
#define NAMED(name) {#name, name}
        NAMED(compares_memory), NAMED(locks), NAMED(calls_what_the_loader_bound), NAMED(prints_to_a_stream),
        NAMED(calls_by_address), NAMED(calls_what_is_volatile), NAMED(allocates_zeros), NAMED(throws),
        NAMED(reads_a_number), NAMED(counts_letters), NAMED(signs_gamma), NAMED(is_a_kernel),
    };
    static const char* (*const find)(const char*, int) = strchr;
    Pointers host{cosf, memcmp, *const_cast<const char* (*const volatile*)(const char*, int)>(&find)};
    float *out, results[8];
    cudaMalloc(&out, sizeof results);
    cudaMemset(out, 0, sizeof results);
    for (auto [name, kernel] : kernels) {
        if (strcmp(name, arguments[1]) == 0) kernel<<<1, 1>>>(out, host);
    }
    cudaError_t error = cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    puts(cudaGetErrorName(error));
    for (int i = 0; i < 6 && !error; ++i) printf("%g ", results[i]);
    puts("");
    fputs(simt_take_findings(), stdout);
}
