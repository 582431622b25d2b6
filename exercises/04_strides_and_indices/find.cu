// Three small kernels, each with one mistake. The questions in answers.toml are about what they do.
// Copy this file, put printf into the copy, and run it with find.py, which is beside this file.
#include <cuda_runtime.h>
#include <pybind11/pybind11.h>

#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kThreads = 32;  // of a block

// Copies the first `columns` of each row into `out`, densely. x has `pitch` elements from row to row.
__global__ void take_part(const int* x, int* out, int rows, int columns, int pitch) {
    const int n = rows * columns, step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const int row = i / columns;
        const int column = i % pitch;
        out[i] = x[row * pitch + column];  // (A)
    }
}

// Each thread adds up its share of the n elements of x. All sums together are the sum of x.
__global__ void add_shares(const int* x, int* sums, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = thread; i < n; i += blockDim.x) {
        sum += x[i];  // (B)
    }
    sums[thread] = sum;
}

// How much x grows from each element to the next one.
__global__ void growth(const int* x, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = x[i + 1] - x[i];  // (C)
}

// ---- what find.py and the grader call: one launch each ------------------------------------------

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// x holds 0, 1, 2, ...: the number that a thread reads is the index that it has read from. Returns
// what the launch wrote to out.
template <typename Launch>
std::vector<int> on_indices(int inputs, int outputs, Launch launch) {
    std::vector<int> x(inputs), out(outputs);
    std::iota(x.begin(), x.end(), 0);
    int *d_x = nullptr, *d_out = nullptr;
    check(cudaMalloc(&d_x, x.size() * sizeof(int)));
    check(cudaMalloc(&d_out, out.size() * sizeof(int)));
    check(cudaMemcpy(d_x, x.data(), x.size() * sizeof(int), cudaMemcpyHostToDevice));
    launch(d_x, d_out);
    check(cudaGetLastError());
    check(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaFree(d_out));
    check(cudaFree(d_x));
    return out;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    // With two blocks. Returns what thread `thread` of block 1 wrote in its first pass.
    m.def("take_part", [](int rows, int columns, int pitch, int thread) {
        const auto out = on_indices(rows * pitch, rows * columns, [&](const int* x, int* d_out) {
            take_part<<<2, kThreads>>>(x, d_out, rows, columns, pitch);
        });
        return out.at(kThreads + thread);
    });
    // Returns the sum of all shares.
    m.def("add_shares", [](int n, int blocks) {
        const auto sums = on_indices(n, blocks * kThreads, [&](const int* x, int* d_sums) {
            add_shares<<<blocks, kThreads>>>(x, d_sums, n);
        });
        return std::accumulate(sums.begin(), sums.end(), 0);
    });
    // Returns the last difference.
    m.def("growth", [](int n) {
        const auto out = on_indices(n, n, [&](const int* x, int* d_out) {
            growth<<<(n + kThreads - 1) / kThreads, kThreads>>>(x, d_out, n);
        });
        return out.back();
    });
}
