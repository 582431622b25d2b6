// Three launches, and their records.
#include <cstdio>

extern "C" const char* simt_take_launches();

__global__ void nothing() {}
template <class T>
__global__ void spin(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

int main() {
    nothing<<<dim3(3, 2), 40>>>();
    cudaSetDevice(1);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    spin<float><<<1, 1, 128, stream>>>(198000);
    nothing<<<1, 2000>>>();
    fputs(simt_take_launches(), stdout);
}
