// Given: kernels that leave lanes idle. There is nothing to change here: answers.toml asks what the lines
// marked (A) to (D) do.
#include <cuda_runtime.h>
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace {

constexpr int kThreads = 256;  // of a block

// Line (A): a thread in every `step` takes part.
__global__ void by_lane(const float* __restrict__ x, float* __restrict__ out, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % step == 0) {
        const float value = x[i];  // (A)
        out[i] = value;
    }
}

// Line (B): a warp in every `step` takes part, with all of its lanes.
__global__ void by_warp(const float* __restrict__ x, float* __restrict__ out, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x / 32 % step == 0) {
        const float value = x[i];  // (B)
        out[i] = value;
    }
}

// Line (C): lane l makes 1 + l / step rounds; a round reads 32 neighbours.
__global__ void by_rounds(const float* __restrict__ x, float* __restrict__ out, int step) {
    const int lane = threadIdx.x % 32;
    float sum = 0;
    for (int round = 0; round <= lane / step; ++round) {
        const float value = x[32 * round + lane];  // (C)
        sum += value;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Line (D): the usual guard.
__global__ void guarded(const float* __restrict__ x, float* __restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float value = x[i];  // (D)
        out[i] = value;
    }
}

// A kernel that needs hardly any registers, so that other things limit how many of its blocks fit.
__global__ void small(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

// ---- what the grader calls -----------------------------------------------------------------------

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Calls launch(x, out) with 4096 zeros each.
template <typename Launch>
void on_zeros(Launch launch) {
    constexpr size_t kBytes = 4096 * sizeof(float);
    float *d_x = nullptr, *d_out = nullptr;
    check(cudaMalloc(&d_x, kBytes));
    check(cudaMalloc(&d_out, kBytes));
    check(cudaMemset(d_x, 0, kBytes));
    launch(d_x, d_out);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaFree(d_x));
    check(cudaFree(d_out));
}

// Blocks of `threads` threads and `shared` bytes that a multiprocessor holds.
int held(int threads, size_t shared) {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, threads, shared));
    return blocks;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("by_lane", [](int step) {
        on_zeros([&](const float* x, float* out) { by_lane<<<2, kThreads>>>(x, out, step); });
    });
    m.def("by_warp", [](int step) {
        on_zeros([&](const float* x, float* out) { by_warp<<<2, kThreads>>>(x, out, step); });
    });
    m.def("by_rounds", [](int step) {
        on_zeros([&](const float* x, float* out) { by_rounds<<<2, kThreads>>>(x, out, step); });
    });
    m.def("guarded", [](int n) {
        on_zeros([&](const float* x, float* out) {
            guarded<<<(n + kThreads - 1) / kThreads, kThreads>>>(x, out, n);
        });
    });
    m.def("warps_held", [](int threads) {
        on_zeros([&](const float*, float* out) { small<<<1, threads>>>(out); });
        return held(threads, 0) * ((threads + 31) / 32);
    });
    m.def("blocks_held", [](int kibibytes) {
        on_zeros([&](const float*, float* out) { small<<<1, kThreads>>>(out); });
        return held(kThreads, static_cast<size_t>(kibibytes) * 1024);
    });
}
