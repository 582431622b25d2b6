// |a - b| again, through packed accessors and a grid of two dimensions. An accessor comes from a
// tensor, so this file includes one PyTorch header, and takes longer to compile than kernel.cu.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr unsigned kColumnsPerBlock = 32;  // a warp: its lanes are neighbours in a row
constexpr unsigned kRowsPerBlock = 4;
constexpr int64_t kMostBlocksInY = 65535;  // the limit of every GPU; beyond that, threads loop

// Pointer, sizes and strides of a matrix, by value, with 64-bit indices.
template <typename T>
using Matrix = at::PackedTensorAccessor64<T, 2, at::RestrictPtrTraits>;

template <typename T>
__global__ void difference_kernel(Matrix<const T> a, Matrix<const T> b, Matrix<T> out) {
    // --8<-- [start:accessors]
    const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= out.size(1)) return;
    const int64_t step = static_cast<int64_t>(gridDim.y) * blockDim.y;
    for (int64_t row = static_cast<int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
         row < out.size(0); row += step) {
        const T x = a[row][column], y = b[row][column];
        out[row][column] = x > y ? x - y : y - x;
    }
    // --8<-- [end:accessors]
}

}  // namespace

template <typename T>
void launch_by_accessors(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out,
                         cudaStream_t stream) {
    const int64_t rows = out.size(0), columns = out.size(1);
    if (rows == 0 || columns == 0) return;
    // --8<-- [start:grid]
    const dim3 block(kColumnsPerBlock, kRowsPerBlock);
    const int64_t across = (columns + kColumnsPerBlock - 1) / kColumnsPerBlock;
    const int64_t down = std::min((rows + kRowsPerBlock - 1) / kRowsPerBlock, kMostBlocksInY);
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down));
    difference_kernel<T><<<grid, block, 0, stream>>>(
        a.packed_accessor64<const T, 2, at::RestrictPtrTraits>(),
        b.packed_accessor64<const T, 2, at::RestrictPtrTraits>(),
        out.packed_accessor64<T, 2, at::RestrictPtrTraits>());
    // --8<-- [end:grid]
}

template void launch_by_accessors<uint8_t>(const at::Tensor&, const at::Tensor&,
                                           const at::Tensor&, cudaStream_t);
template void launch_by_accessors<float>(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                         cudaStream_t);
template void launch_by_accessors<double>(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          cudaStream_t);
