#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace {

template <typename T, int Dim>
class SwizzledTile {
    static_assert((Dim & (Dim - 1)) == 0, "a power of two");

public:
    __device__ T& operator()(int row, int column) { return storage_[row][column ^ row]; }
    static constexpr int extent() { return Dim; }

private:
    T storage_[Dim][Dim];
};

struct Extents {
    int64_t rows, columns;
    __host__ __device__ Extents transposed() const { return {columns, rows}; }
    __host__ __device__ bool contains(int64_t r, int64_t c) const { return r < rows && c < columns; }
};

__device__ inline void sync() { __syncthreads(); }

template <typename T, int Dim, int Rows>
__global__ void __launch_bounds__(Dim* Rows) transpose(const T* __restrict__ in, T* __restrict__ out, Extents e, int64_t across, int64_t tiles) {
    using Tile = SwizzledTile<T, Dim>;
    __shared__ Tile tile;
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int64_t r0 = t / across * Tile::extent(), c0 = t % across * Tile::extent();
#pragma unroll
        for (int y = 0; y < Dim; y += Rows) {
            const int64_t r = r0 + y + threadIdx.y, c = c0 + threadIdx.x;
            if (e.contains(r, c)) tile(y + threadIdx.y, threadIdx.x) = in[r * e.columns + c];
        }
        sync();
#pragma unroll
        for (int y = 0; y < Dim; y += Rows) {
            const int64_t r = c0 + y + threadIdx.y, c = r0 + threadIdx.x;
            if (e.transposed().contains(r, c)) out[r * e.rows + c] = tile(threadIdx.x, y + threadIdx.y);
        }
        sync();  // the next tile overwrites this one
    }
}

}  // namespace

template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    constexpr int kDim = 32, kRows = 8;
    const Extents e{rows, columns};
    if (rows * columns == 0) return;
    const int64_t across = (columns + kDim - 1) / kDim, down = (rows + kDim - 1) / kDim;
    const auto grid = static_cast<unsigned>(std::min<int64_t>(across * down, 1 << 16));
    transpose<T, kDim, kRows><<<grid, dim3{kDim, kRows}, 0, stream>>>(x, out, e, across, across * down);
}

template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
