// Squared distances between two sets of points, and their gradient for the first set. A batch is a stack of
// such pairs: everything is dense and row-major, x of (batch, n, d), y of (batch, m, d), out of (batch, n, m).
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kThreadsPerBlock = 128;

unsigned blocks_for(int64_t threads) {
    return static_cast<unsigned>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

// One thread for each element of out.
template <typename T>
__global__ void sqdist_kernel(const T* __restrict__ x, const T* __restrict__ y, T* __restrict__ out,
                              int64_t batch, int64_t n, int64_t m, int64_t d) {
    const int64_t element = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (element >= batch * n * m) return;
    const int64_t point = element / m;                 // among the points of x of the whole batch
    const int64_t other = point / n * m + element % m;  // the point of y, in the same pair of sets
    T sum = 0;
    for (int64_t k = 0; k < d; ++k) {
        const T difference = x[point * d + k] - y[other * d + k];
        sum += difference * difference;
    }
    out[element] = sum;
}

// One thread for each element of grad_x: a point of x enters the m distances of its row.
template <typename T>
__global__ void sqdist_backward_kernel(const T* __restrict__ grad, const T* __restrict__ x,
                                       const T* __restrict__ y, T* __restrict__ grad_x, int64_t batch,
                                       int64_t n, int64_t m, int64_t d) {
    const int64_t element = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (element >= batch * n * d) return;
    const int64_t point = element / d;
    const int64_t k = element % d;
    const int64_t first = point / n * m;  // the first point of y in the same pair of sets
    T sum = 0;
    for (int64_t j = 0; j < m; ++j) {
        sum += grad[point * m + j] * (x[element] - y[(first + j) * d + k]);
    }
    grad_x[element] = T(2) * sum;
}

}  // namespace

template <typename T>
void launch_sqdist(const T* x, const T* y, T* out, int64_t batch, int64_t n, int64_t m, int64_t d,
                   cudaStream_t stream) {
    const int64_t threads = batch * n * m;
    if (threads == 0) return;
    sqdist_kernel<T><<<blocks_for(threads), kThreadsPerBlock, 0, stream>>>(x, y, out, batch, n, m, d);
}

template <typename T>
void launch_sqdist_backward(const T* grad, const T* x, const T* y, T* grad_x, int64_t batch, int64_t n,
                            int64_t m, int64_t d, cudaStream_t stream) {
    const int64_t threads = batch * n * d;
    if (threads == 0) return;
    sqdist_backward_kernel<T>
        <<<blocks_for(threads), kThreadsPerBlock, 0, stream>>>(grad, x, y, grad_x, batch, n, m, d);
}

template void launch_sqdist<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   int64_t, cudaStream_t);
template void launch_sqdist<double>(const double*, const double*, double*, int64_t, int64_t, int64_t,
                                    int64_t, cudaStream_t);
template void launch_sqdist_backward<float>(const float*, const float*, const float*, float*, int64_t,
                                            int64_t, int64_t, int64_t, cudaStream_t);
template void launch_sqdist_backward<double>(const double*, const double*, const double*, double*,
                                             int64_t, int64_t, int64_t, int64_t, cudaStream_t);
