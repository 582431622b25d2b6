#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

#include "view.h"

namespace {

using index_t = std::int64_t;

struct Coord {
    index_t row, column;
    friend __host__ __device__ Coord operator+(Coord a, Coord b) { return {a.row + b.row, a.column + b.column}; }
    friend __host__ __device__ bool operator==(Coord a, Coord b) { return a.row == b.row && a.column == b.column; }
};

struct Layout {
    index_t rows, columns;
    __host__ __device__ index_t size() const { return rows * columns; }
    __device__ Coord operator()(index_t linear) const { return Coord{linear / columns, linear % columns}; }
};

template <class T>
__device__ __forceinline__ const T& operator>>(const MatrixView<T>& view, Coord at) {
    return view.first[at.row * view.row_stride + at.column * view.column_stride];
}

template <class F>
__device__ void for_each_index(index_t n, F&& f) {
    const index_t stride = index_t(blockDim.x) * gridDim.x;
    index_t i = index_t(blockIdx.x) * blockDim.x + threadIdx.x;
    while (i < n) {
        f(i);
        i += stride;
    }
}

template <class T>
__global__ void abs_diff(const MatrixView<T> a, const MatrixView<T> b, T* out, const Layout layout) {
    for_each_index(layout.size(), [&](index_t i) {
        const auto at = layout(i);
        const T x = a >> at, y = b >> at;
        out[i] = x > y ? x - y : y - x;
    });
}

template <>
__global__ void abs_diff<std::uint8_t>(const MatrixView<std::uint8_t> a, const MatrixView<std::uint8_t> b,
                                       std::uint8_t* out, const Layout layout) {
    for_each_index(layout.size(), [=](index_t i) {
        const int d = int(a >> layout(i)) - int(b >> layout(i));
        out[i] = static_cast<std::uint8_t>(abs(d));
    });
}

template <class T>
__global__ void sign_times(const MatrixView<T> x, const MatrixView<T> y, const MatrixView<T> g, T* out, const Layout layout) {
    for_each_index(layout.size(), [&](index_t i) {
        const Coord at = layout(i) + Coord{0, 0};
        const T d = (x >> at) - (y >> at);
        out[i] = d == T(0) ? T(0) : copysign(T(1), d) * (g >> at);
    });
}

struct Config {
    static constexpr unsigned threads = 128;
    static unsigned blocks(index_t n) {
        return static_cast<unsigned>(std::clamp<index_t>((n + threads - 1) / threads, 1, 2048));
    }
};

}  // namespace

template <typename T>
void launch_difference(MatrixView<T> a, MatrixView<T> b, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    const Layout layout{rows, columns};
    if (!layout.size()) return;
    abs_diff<T><<<Config::blocks(layout.size()), Config::threads, 0, stream>>>(a, b, out, layout);
}

template <typename T>
void launch_slope(MatrixView<T> x, MatrixView<T> y, MatrixView<T> grad, T* out, int64_t rows, int64_t columns,
                  cudaStream_t stream) {
    const Layout layout{rows, columns};
    if (!layout.size()) return;
    sign_times<T><<<Config::blocks(layout.size()), Config::threads, 0, stream>>>(x, y, grad, out, layout);
}

template void launch_difference<uint8_t>(MatrixView<uint8_t>, MatrixView<uint8_t>, uint8_t*, int64_t, int64_t, cudaStream_t);
template void launch_difference<float>(MatrixView<float>, MatrixView<float>, float*, int64_t, int64_t, cudaStream_t);
template void launch_difference<double>(MatrixView<double>, MatrixView<double>, double*, int64_t, int64_t, cudaStream_t);
template void launch_slope<float>(MatrixView<float>, MatrixView<float>, MatrixView<float>, float*, int64_t, int64_t, cudaStream_t);
template void launch_slope<double>(MatrixView<double>, MatrixView<double>, MatrixView<double>, double*, int64_t, int64_t, cudaStream_t);
