// What the compiler makes of accesses, seen by the hooks: `accesses` prints each access of one thread, in order.
#include <cstdio>

extern "C" const char* simt_take_findings();

// One side of each copy hits memory that was freed, so the access becomes a finding with its size.
template <class T>
__global__ void load(const float* p, float* out) {
    T v = reinterpret_cast<const T*>(p)[0];
    if constexpr (requires { v.w; }) out[0] = v.x + v.y + v.z + v.w;
    else if constexpr (requires { v.y; }) out[0] = v.x + v.y;
    else out[0] = v.x;
}
template <class T>
__global__ void copy(const float* p, float* out) {
    reinterpret_cast<T*>(out)[0] = reinterpret_cast<const T*>(p)[0];
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
    printf("%s store\n", name);
    copy<T><<<1, 1>>>(out, p);
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
