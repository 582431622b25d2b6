#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

template <typename T>
struct Problem {
    const T *a, *b;
    T* out;
    int64_t m, k, n;

    __host__ __device__ bool holds(int64_t row, int64_t column) const { return row < m && column < n; }
    __device__ T dot(int64_t row, int64_t column) const {
        T sum = T(0);
        const T* left = a + row * k;
        const T* right = b + column;
        for (int64_t i = 0; i != k; ++i, ++left, right += n) sum = std::fma(*left, *right, sum);
        return sum;
    }
};

template <typename T>
__global__ void solve(const Problem<T> problem) {
    const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (int64_t row = int64_t{blockIdx.y} * blockDim.y + threadIdx.y; row < problem.m;
         row += int64_t{gridDim.y} * blockDim.y) {
        if (problem.holds(row, column)) problem.out[row * problem.n + column] = problem.dot(row, column);
    }
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, cudaStream_t stream) {
    const Problem<T> problem{.a = a, .b = b, .out = out, .m = m, .k = k, .n = n};
    if (problem.m == 0 || problem.n == 0) return;
    const dim3 block(64, 4);
    const auto rows = static_cast<unsigned>((m + block.y - 1) / block.y);
    const dim3 grid(static_cast<unsigned>((n + block.x - 1) / block.x), rows < 65535u ? rows : 65535u);
    solve<<<grid, block, 0, stream>>>(problem);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t, int64_t, cudaStream_t);
