// A tiled matrix product whose answers are right and whose memory accesses are not all good. Do not repair
// it: answers.toml asks what its profile says about the lines marked (A) to (E). Every size is a multiple of
// the tile, so the kernel needs no guard.
#include <cuda_runtime.h>
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace {

// a: m x k, b: k x n, out: m x n, all row-major and dense; one block of kTile x kTile threads for each tile
// of out.
template <int kTile>
__global__ void slow_matmul(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ out, int k, int n) {
    __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
    float sum = 0;
    for (int first = 0; first < k; first += kTile) {
        a_tile[y][x] = a[(row + y) * k + first + x];     // (A)
        b_tile[y][x] = b[(first + x) * n + column + y];  // (B)
        __syncthreads();  // both tiles are complete
        for (int i = 0; i < kTile; ++i) {
            const float left = a_tile[y][i];   // (C)
            const float right = b_tile[x][i];  // (D)
            sum += left * right;
        }
        __syncthreads();  // both tiles have been read
    }
    out[(row + y) * n + column + x] = sum;  // (E)
}

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <int kTile>
void launch(const float* a, const float* b, float* out, int m, int k, int n) {
    slow_matmul<kTile><<<dim3(n / kTile, m / kTile), dim3(kTile, kTile)>>>(a, b, out, k, n);
}

// What the grader and find.py call: one launch on zeros, whose values do not matter.
void product(int m, int k, int n, int tile) {
    if (m % tile != 0 || k % tile != 0 || n % tile != 0)
        throw std::runtime_error("m, k and n must be multiples of the tile");
    const auto launch_tile = tile == 8 ? launch<8> : tile == 16 ? launch<16> : launch<32>;
    float* memory = nullptr;
    const size_t bytes = sizeof(float) * (m * k + k * n + m * n);
    check(cudaMalloc(&memory, bytes));
    check(cudaMemset(memory, 0, bytes));
    launch_tile(memory, memory + m * k, memory + m * k + k * n, m, k, n);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaFree(memory));
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("product", &product); }
