// Stands in for accessors.cu: accessors with 32-bit indices where every offset fits, else 64.
#include <ATen/core/Tensor.h>
#include <ATen/native/CanUse32BitIndexMath.h>

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr unsigned kColumnsPerBlock = 32;  // a warp: its lanes are neighbours in a row
constexpr unsigned kRowsPerBlock = 4;
constexpr int64_t kMostBlocksInY = 65535;  // the limit of every GPU; beyond that, threads loop
// The largest offset with which `row += step` still fits into 32 bits.
constexpr int64_t kMostElements = INT32_MAX - kMostBlocksInY * kRowsPerBlock;

template <typename T, typename Index>
using Matrix = at::GenericPackedTensorAccessor<T, 2, at::RestrictPtrTraits, Index>;

template <typename T, typename Index>
__global__ void difference_kernel(Matrix<const T, Index> a, Matrix<const T, Index> b,
                                  Matrix<T, Index> out) {
    const Index column = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= out.size(1)) return;
    const Index step = static_cast<Index>(gridDim.y) * blockDim.y;
    for (Index row = static_cast<Index>(blockIdx.y) * blockDim.y + threadIdx.y; row < out.size(0);
         row += step) {
        const T x = a[row][column], y = b[row][column];
        out[row][column] = x > y ? x - y : y - x;
    }
}

}  // namespace

template <typename T>
void launch_by_accessors(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out,
                         cudaStream_t stream) {
    const int64_t rows = out.size(0), columns = out.size(1);
    if (rows == 0 || columns == 0) return;
    const dim3 block(kColumnsPerBlock, kRowsPerBlock);
    const int64_t across = (columns + kColumnsPerBlock - 1) / kColumnsPerBlock;
    const int64_t down = std::min((rows + kRowsPerBlock - 1) / kRowsPerBlock, kMostBlocksInY);
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down));
    // --8<-- [start:choice]
    const auto fits = [](const at::Tensor& x) {
        return at::native::canUse32BitIndexMath(x, kMostElements);
    };
    if (fits(a) && fits(b) && fits(out)) {
        difference_kernel<T, int32_t><<<grid, block, 0, stream>>>(
            a.packed_accessor32<const T, 2, at::RestrictPtrTraits>(),
            b.packed_accessor32<const T, 2, at::RestrictPtrTraits>(),
            out.packed_accessor32<T, 2, at::RestrictPtrTraits>());
    } else {
        difference_kernel<T, int64_t><<<grid, block, 0, stream>>>(
            a.packed_accessor64<const T, 2, at::RestrictPtrTraits>(),
            b.packed_accessor64<const T, 2, at::RestrictPtrTraits>(),
            out.packed_accessor64<T, 2, at::RestrictPtrTraits>());
    }
    // --8<-- [end:choice]
}

template void launch_by_accessors<uint8_t>(const at::Tensor&, const at::Tensor&,
                                           const at::Tensor&, cudaStream_t);
template void launch_by_accessors<float>(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                         cudaStream_t);
template void launch_by_accessors<double>(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          cudaStream_t);
