#include <array>
#include <climits>
#include <cstdint>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace lesson::detail {

using index_t = long long;
static_assert(sizeof(index_t) * CHAR_BIT == 64, "offsets have 64 bits");

extern "C" __global__ void lesson_scale(const float* x, float alpha, float* y, index_t n) {
    index_t i = blockIdx.x;
    i = i * blockDim.x + threadIdx.x;
    if (i < n) { y[i] = x[i] * alpha; }
}

inline void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
    }
}

}  // namespace lesson::detail

void launch_scale(const float* x, float alpha, float* y, int64_t n, cudaStream_t stream) {
    using namespace lesson::detail;
    if (n <= 0) return;
    index_t count = n;
    std::array<void*, 4> arguments{&x, &alpha, &y, &count};
    const dim3 grid(static_cast<unsigned>((n - 1) / 128 + 1)), block(128);
    check(cudaLaunchKernel(reinterpret_cast<const void*>(&lesson_scale), grid, block, arguments.data(), 0, stream),
          "scale");
}
