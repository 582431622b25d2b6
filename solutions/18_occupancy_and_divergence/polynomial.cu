// A polynomial of every element. Each thread has several elements in registers, so that each coefficient
// that it reads serves them all.
#include "kernels.h"

namespace {

constexpr int kThreads = 256;   // of a block
constexpr int kThreadBytes = 48;  // of x that a thread has in registers: 12 floats or 6 doubles

template <typename T>
// --8<-- [start:polynomial]
__global__ void __launch_bounds__(kThreads, 6)
// --8<-- [end:polynomial]
    polynomial_kernel(const T* __restrict__ x, const T* __restrict__ coefficients, int terms,
                      T* __restrict__ out, int64_t n) {
    constexpr int kEach = kThreadBytes / sizeof(T);
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kThreads * kEach + threadIdx.x;
    T value[kEach], sum[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const int64_t i = first + e * kThreads;
        value[e] = i < n ? x[i] : T(0);
        sum[e] = 0;
    }
    for (int k = terms - 1; k >= 0; --k) {
        const T coefficient = coefficients[k];
#pragma unroll
        for (int e = 0; e < kEach; ++e) sum[e] = sum[e] * value[e] + coefficient;
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const int64_t i = first + e * kThreads;
        if (i < n) out[i] = sum[e];
    }
}

}  // namespace

template <typename T>
void launch_polynomial(const T* x, const T* coefficients, int64_t terms, T* out, int64_t n,
                       cudaStream_t stream) {
    if (n == 0) return;
    constexpr int64_t kPerBlock = int64_t(kThreads) * (kThreadBytes / sizeof(T));
    const auto blocks = static_cast<unsigned>((n + kPerBlock - 1) / kPerBlock);
    polynomial_kernel<<<blocks, kThreads, 0, stream>>>(x, coefficients, static_cast<int>(terms),
                                                       out, n);
}

template void launch_polynomial<float>(const float*, const float*, int64_t, float*, int64_t,
                                       cudaStream_t);
template void launch_polynomial<double>(const double*, const double*, int64_t, double*, int64_t,
                                        cudaStream_t);
