// Three ways to copy floats. There is nothing to change here: answers.toml asks what the lines marked
// (A) to (D) do. cudaMalloc returns addresses that are multiples of 256.
#include <cuda_runtime.h>
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace {

constexpr int kThreads = 128;  // of a block

// Line (A): one float per thread.
__global__ void one_each(const float* __restrict__ x, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float value = x[i];  // (A)
        out[i] = value;
    }
}

// Line (B): four floats per thread in one load. Line (C): the n % 4 floats that are left, by one thread.
__global__ void four_each(const float* __restrict__ x, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        const float4 values = reinterpret_cast<const float4*>(x)[i];  // (B)
        reinterpret_cast<float4*>(out)[i] = values;
    }
    if (i == n / 4) {
        for (int k = 4 * i; k < n; ++k) {
            const float value = x[k];  // (C)
            out[k] = value;
        }
    }
}

// Line (D): every thread copies a piece of its own, `step` float4 that follow one another.
__global__ void own_piece(const float4* __restrict__ x, float4* __restrict__ out, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < step; ++k) {
        const float4 values = x[i * step + k];  // (D)
        out[i * step + k] = values;
    }
}

// ---- what the grader calls: one launch each; the numbers do not matter --------------------------

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Calls launch(x, out), each with n zeros and the first of them at a multiple of 256.
template <typename Launch>
void on_zeros(int n, Launch launch) {
    float *d_x = nullptr, *d_out = nullptr;
    check(cudaMalloc(&d_x, n * sizeof(float)));
    check(cudaMalloc(&d_out, n * sizeof(float)));
    check(cudaMemset(d_x, 0, n * sizeof(float)));
    launch(d_x, d_out);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaFree(d_x));
    check(cudaFree(d_out));
}

int blocks_for(int threads) { return (threads + kThreads - 1) / kThreads; }

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("one_each", [](int n) {
        on_zeros(n, [&](const float* x, float* out) {
            one_each<<<blocks_for(n), kThreads>>>(x, out, n);
        });
    });
    m.def("four_each", [](int n) {
        on_zeros(n, [&](const float* x, float* out) {
            four_each<<<blocks_for(n / 4 + 1), kThreads>>>(x, out, n);
        });
    });
    m.def("one_each_of_view", [](int offset) {  // as of base[offset:], in whole warps
        on_zeros(8 * kThreads + offset, [&](const float* base, float* out) {
            one_each<<<8, kThreads>>>(base + offset, out, 8 * kThreads);
        });
    });
    m.def("own_piece", [](int step) {
        on_zeros(8 * kThreads * 4 * step, [&](const float* x, float* out) {
            own_piece<<<8, kThreads>>>(reinterpret_cast<const float4*>(x),
                                       reinterpret_cast<float4*>(out), step);
        });
    });
}
