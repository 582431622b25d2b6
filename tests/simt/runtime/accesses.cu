// What the compiler makes of accesses, seen by the hooks: `accesses` prints each access of one thread, in order.
#include <cstdio>

extern "C" const char* simt_take_findings();

// Every access below hits memory that was freed, so each becomes a finding with its size.
template <class T>
__global__ void load(const float* p, float* out) {
    T v = reinterpret_cast<const T*>(p)[0];
    out[0] = v.x;
}
template <class T>
__global__ void copy(const float* p, float* out) {
    reinterpret_cast<T*>(out)[0] = reinterpret_cast<const T*>(p)[0];
}
template <class T>
__global__ void change(float* p) {
    T v = reinterpret_cast<T*>(p)[0];
    v.x += 1;
    reinterpret_cast<T*>(p)[0] = v;
}

template <class T>
static void run(const char* name) {
    float *p, *out;
    cudaMalloc(&p, 256);
    cudaMalloc(&out, 256);
    cudaMemset(out, 0, 256);
    cudaFree(p);
    printf("%s load\n", name);
    load<T><<<1, 1>>>(p, out);
    fputs(simt_take_findings(), stdout);
    printf("%s copy\n", name);
    copy<T><<<1, 1>>>(p, out);
    fputs(simt_take_findings(), stdout);
    printf("%s change\n", name);
    change<T><<<1, 1>>>(p);
    fputs(simt_take_findings(), stdout);
}

int main() {
    run<float1>("float1");
    run<float2>("float2");
    run<float4>("float4");
    run<int4>("int4");
    run<uchar4>("uchar4");
    run<double2>("double2");
    run<double4>("double4");
}
