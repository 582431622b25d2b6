#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 256;

unsigned blocks_for(int64_t n) {
    return static_cast<unsigned>((n + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

template <typename T>
__global__ void multiply_kernel(const T* a, const T* b, T* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

__shared__ double kept[1024];

template <typename T>
__global__ void keep(const T* from, int64_t n) {
    T* room = reinterpret_cast<T*>(kept);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) room[i] = from[i];
}
template <typename T>
struct Answer {
    T values[256];
};
template <typename T>
__global__ void put(Answer<T> answer, T* out, int64_t n) {
    if (threadIdx.x < n) out[threadIdx.x] = answer.values[threadIdx.x];
}

}  // namespace

template <typename T>
void launch_multiply(const T* a, const T* b, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    multiply_kernel<T><<<blocks_for(n), kThreadsPerBlock, 0, stream>>>(a, b, out, n);
}

template <typename T>
void launch_muladd(const T* a, const T* b, const T* c, T* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const T* room = reinterpret_cast<const T*>(kept);
    for (int64_t start = 0; start < n; start += 256) {
        const int64_t count = n - start < 256 ? n - start : 256;
        T x[256], y[256];
        Answer<T> answer = {};
        keep<T><<<1, kThreadsPerBlock, 0, stream>>>(a + start, count);
        for (int64_t i = 0; i < count; ++i) x[i] = room[i];
        keep<T><<<1, kThreadsPerBlock, 0, stream>>>(b + start, count);
        for (int64_t i = 0; i < count; ++i) y[i] = room[i];
        keep<T><<<1, kThreadsPerBlock, 0, stream>>>(c + start, count);
        for (int64_t i = 0; i < count; ++i) answer.values[i] = x[i] * y[i] + room[i];
        put<T><<<1, kThreadsPerBlock, 0, stream>>>(answer, out + start, count);
    }
}

template void launch_multiply<float>(const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_multiply<double>(const double*, const double*, double*, int64_t, cudaStream_t);
template void launch_muladd<float>(const float*, const float*, const float*, float*, int64_t, cudaStream_t);
template void launch_muladd<double>(const double*, const double*, const double*, double*, int64_t, cudaStream_t);
