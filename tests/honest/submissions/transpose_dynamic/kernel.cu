#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <stdexcept>

constexpr unsigned kEdge = 32, kSteps = 4;

template <typename T>
__global__ void transposed(const T* __restrict__ in, T* __restrict__ out, const int2 shape, const unsigned tiles_x) {
    extern __shared__ __align__(16) unsigned char memory[];
    T* const tile = reinterpret_cast<T*>(memory);
    constexpr unsigned pitch = kEdge + 1;
    const unsigned tile_x = blockIdx.x % tiles_x, tile_y = blockIdx.x / tiles_x;
    const unsigned column = tile_x * kEdge + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < kSteps; ++k) {
        const unsigned local = threadIdx.y * kSteps + k, row = tile_y * kEdge + local;
        if (row < static_cast<unsigned>(shape.y) && column < static_cast<unsigned>(shape.x)) {
            tile[local * pitch + threadIdx.x] = in[static_cast<size_t>(row) * shape.x + column];
        }
    }
    __syncthreads();
    const unsigned row = tile_y * kEdge + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < kSteps; ++k) {
        const unsigned local = threadIdx.y * kSteps + k, target = tile_x * kEdge + local;
        if (target < static_cast<unsigned>(shape.x) && row < static_cast<unsigned>(shape.y)) {
            out[static_cast<size_t>(target) * shape.y + row] = tile[threadIdx.x * pitch + local];
        }
    }
}

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows * columns == 0) return;
    const int2 shape = make_int2(static_cast<int>(columns), static_cast<int>(rows));
    const unsigned tiles_x = (shape.x + kEdge - 1) / kEdge, tiles_y = (shape.y + kEdge - 1) / kEdge;
    const std::size_t bytes = kEdge * (kEdge + 1) * sizeof(T);
    if (cudaFuncSetAttribute(transposed<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) !=
        cudaSuccess) {
        throw std::runtime_error("transpose: too much shared memory");
    }
    transposed<T><<<tiles_x * tiles_y, dim3(kEdge, kEdge / kSteps), bytes, stream>>>(x, out, shape, tiles_x);
}

template void launch_transpose(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose(const double*, double*, int64_t, int64_t, cudaStream_t);
