// Where each row of a sparse matrix begins: a kernel counts its entries, and CUB adds the counts
// up.
#include <cub/device/device_scan.cuh>

#include <c10/cuda/CUDAException.h>

#include "graph_layer.h"

namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void count_kernel(const int* __restrict__ rows, int* __restrict__ counts, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[rows[i]], 1);
}

}  // namespace

void launch_count(const int* rows, int* counts, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    const int64_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
    count_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock, 0, stream>>>(rows, counts, n);
}

size_t bytes_for_sums(int64_t n) {
    size_t bytes = 0;
    int* const none = nullptr;
    // TODO(sizing): ask cub::DeviceScan::InclusiveSum for the size of its temporary storage, for n
    //   numbers, about 1 line.
    return bytes;
}

void launch_sums(void* temporary, size_t bytes, int* numbers, int64_t n, cudaStream_t stream) {
    // TODO(sums): the same call with temporary storage: running sums of the n numbers, in place, on
    //   stream, about 1 line.
}
