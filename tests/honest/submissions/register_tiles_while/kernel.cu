// out = a @ b with three levels of tiles: a block's in shared memory, a warp's, and a thread's in registers.
// While the block multiplies one pair of tiles, the next pair is on its way into a second buffer.
#include <cstdint>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <type_traits>

#include "strides.h"

namespace {

// ---- the sizes of the tiles; in bytes, so that doubles fit into the same memory and registers -------

constexpr int kVectorBytes = 16;    // the most that a thread loads or copies with one instruction
constexpr int kRowBytes = 32;       // a thread's rows of out, times the size of an element: 8 floats
constexpr int kColumnVectors = 2;   // a thread's columns of out, in vectors: 8 floats
constexpr int kDepthBytes = 64;     // of a tile along k: 16 floats
constexpr int kLanesDown = 4, kLanesAcross = 8;  // the lanes of a warp
constexpr int kWarpsDown = 4, kWarpsAcross = 2;  // the warps of a block
constexpr int kThreads = 32 * kWarpsDown * kWarpsAcross;
constexpr int kBlocks = 2;  // that a multiprocessor should hold: they leave 128 registers for a thread

template <typename T>
struct Sizes {
    static constexpr int kVector = kVectorBytes / sizeof(T);       // elements
    static constexpr int kDepth = kDepthBytes / sizeof(T);         // of a tile along k
    static constexpr int kThreadRows = kRowBytes / sizeof(T);      // of out, for each thread
    static constexpr int kThreadColumns = kColumnVectors * kVector;
    static constexpr int kRows = kThreadRows * kLanesDown * kWarpsDown;  // of out, for each block
    static constexpr int kColumns = kThreadColumns * kLanesAcross * kWarpsAcross;
};

// 16 bytes of T, which one instruction loads: float4 or double2.
template <typename T>
using Vector = std::conditional_t<std::is_same_v<T, float>, float4, double2>;

template <typename T>
__device__ T element(const Vector<T>& vector, int index) {
    return reinterpret_cast<const T*>(&vector)[index];
}

// An operand: rows x columns elements from `data` on. `wide`: it can be read a vector at a time.
template <typename T>
struct Matrix {
    const T* data;
    int64_t rows, columns;
    Strides strides;
    bool wide;
};

// ---- a tile on its way to shared memory ------------------------------------------------------------

// Starts the copies of x from (first_row, first_column) on; zeros where x has no element. Every thread of
// the block calls it, and starts an equal part of the copies.
template <typename T, int kRows, int kColumns>
__device__ void start_copy(T (&tile)[kRows][kColumns], const Matrix<T>& x, int64_t first_row,
                           int64_t first_column) {
    constexpr int kVector = Sizes<T>::kVector;
    const int thread = static_cast<int>(threadIdx.x);
    if (x.wide && first_row + kRows <= x.rows && first_column + kColumns <= x.columns) {  // a whole tile
        constexpr int kPerRow = kColumns / kVector;
        for (int v = threadIdx.x; v < kRows * kPerRow; v += kThreads) {
            const int row = v / kPerRow, col = v % kPerRow * kVector;
            *reinterpret_cast<Vector<T>*>(&tile[row][col]) =
                *reinterpret_cast<const Vector<T>*>(x.data + (first_row + row) * x.strides.row + first_column + col);
        }
    } else {
        // One element at a time, in the order of memory, as in exercise 15.
        const bool down = x.strides.row < x.strides.column;
        // Not unrolled: many copies of this would take registers from the loop that matters.
#pragma unroll 1
        for (int i = thread; i < kRows * kColumns; i += kThreads) {
            const int r = down ? i % kRows : i / kColumns;
            const int c = down ? i / kRows : i % kColumns;
            const int64_t row = first_row + r, column = first_column + c;
            const bool exists = row < x.rows && column < x.columns;
            const T* from = x.data + row * x.strides.row + column * x.strides.column;
            // The last argument is the number of bytes that are set to zero in place of copied.
            __pipeline_memcpy_async(&tile[r][c], exists ? from : x.data, sizeof(T),
                                    exists ? 0 : sizeof(T));
        }
    }
}

// ---- one pair of tiles -----------------------------------------------------------------------------

// A thread's elements of out.
template <typename T>
struct Sums {
    alignas(kVectorBytes) T at[Sizes<T>::kThreadRows][Sizes<T>::kThreadColumns] = {};
};

template <typename T>
__device__ Vector<T> load_vector(const T* from) {
    return *reinterpret_cast<const Vector<T>*>(from);
}

// Through __stwb, an ordinary store: nvcc would split an assignment of a float4 that it has in registers.
__device__ void store_vector(float* to, const float* from) {
    __stwb(reinterpret_cast<float4*>(to), make_float4(from[0], from[1], from[2], from[3]));
}
__device__ void store_vector(double* to, const double* from) {
    __stwb(reinterpret_cast<double2*>(to), make_double2(from[0], from[1]));
}

// Where the elements of a thread are in the block's tile of out. Neighbouring lanes of a row of lanes have
// neighbouring vectors, so a thread's vectors are kLanesAcross vectors apart; its rows are kLanesDown apart.
template <typename T>
__device__ int row_of(int e) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    return warp / kWarpsAcross * (Sizes<T>::kThreadRows * kLanesDown) + e * kLanesDown +
           lane / kLanesAcross;
}
template <typename T>
__device__ int column_of(int v) {  // of the first element of vector v
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    return (warp % kWarpsAcross * kColumnVectors + v) * (Sizes<T>::kVector * kLanesAcross) +
           lane % kLanesAcross * Sizes<T>::kVector;
}

// Adds to a thread's sums what one pair of tiles contributes.
template <typename T>
__device__ void multiply(Sums<T>& sums, const T (&a_tile)[Sizes<T>::kRows][Sizes<T>::kDepth],
                         const T (&b_tile)[Sizes<T>::kDepth][Sizes<T>::kColumns]) {
    constexpr int kVector = Sizes<T>::kVector;
    constexpr int kThreadRows = Sizes<T>::kThreadRows;
#pragma unroll
    for (int k = 0; k < Sizes<T>::kDepth; k += kVector) {
        Vector<T> left[kThreadRows];
        for (int e = 0; e < kThreadRows; e++) left[e] = *reinterpret_cast<const Vector<T>*>(&a_tile[row_of<T>(e)][k]);
        for (int s = 0; s < kVector; s++) {
            Vector<T> right[kColumnVectors];
            for (int v = 0; v < kColumnVectors; v++)
                right[v] = *reinterpret_cast<const Vector<T>*>(&b_tile[k + s][column_of<T>(v)]);
            for (int e = 0; e < kThreadRows; e++)
                for (int v = 0; v < kColumnVectors; v++)
                    for (int c = 0; c < kVector; c++) {
                        T& sum = sums.at[e][v * kVector + c];
                        sum = fma(element<T>(left[e], s), element<T>(right[v], c), sum);
                    }
        }
    }
}

// ---- the kernel ------------------------------------------------------------------------------------

// a: m x k, b: k x n, with any strides; out: m x n, row-major and dense. One block for each tile of out.
template <typename T>
__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(const Matrix<T> a, const Matrix<T> b, T* __restrict__ out, bool wide_out) {
    using S = Sizes<T>;
    __shared__ __align__(kVectorBytes) T a_tile[2][S::kRows][S::kDepth];
    __shared__ __align__(kVectorBytes) T b_tile[2][S::kDepth][S::kColumns];
    const int64_t m = a.rows, n = b.columns;
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * S::kRows;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * S::kColumns;
    Sums<T> sums;
    int64_t k0 = 0;
    int buf = 0;
    if (a.columns > 0) {
        start_copy(a_tile[0], a, first_row, 0);
        start_copy(b_tile[0], b, 0, first_column);
        __pipeline_commit();
    }
    while (k0 < a.columns) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + S::kDepth < a.columns) {
            start_copy(a_tile[buf ^ 1], a, first_row, k0 + S::kDepth);
            start_copy(b_tile[buf ^ 1], b, k0 + S::kDepth, first_column);
            __pipeline_commit();
        }
        multiply(sums, a_tile[buf], b_tile[buf]);
        k0 += S::kDepth;
        buf ^= 1;
    }
    for (int v = 0; v < kColumnVectors; ++v) {
        const int64_t column = first_column + column_of<T>(v);
        for (int e = 0; e < S::kThreadRows; ++e) {
            const int64_t row = first_row + row_of<T>(e);
            if (row < m) {
                const T* values = sums.at[e] + v * S::kVector;
                if (wide_out && column < n) {
                    store_vector(out + row * n + column, values);
                } else if (!wide_out) {
                    for (int c = 0; c < S::kVector && column + c < n; ++c) out[row * n + column + c] = values[c];
                }
            }
        }
    }
}

// Whether every row begins at a multiple of 16 bytes, and its elements follow one another.
template <typename T>
bool in_vectors(const T* data, Strides strides) {
    return strides.column == 1 && strides.row * sizeof(T) % kVectorBytes == 0 &&
           reinterpret_cast<uintptr_t>(data) % kVectorBytes == 0;
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n,
                   Strides a_strides, Strides b_strides, cudaStream_t stream) {
    if (m == 0 || n == 0) return;  // nothing to write; k == 0 still launches and writes zeros
    const Matrix<T> left{a, m, k, a_strides, in_vectors(a, a_strides)};
    const Matrix<T> right{b, k, n, b_strides, in_vectors(b, b_strides)};
    const bool wide_out = in_vectors<T>(out, {n, 1});
    const dim3 grid(static_cast<unsigned>((n + Sizes<T>::kColumns - 1) / Sizes<T>::kColumns),
                    static_cast<unsigned>((m + Sizes<T>::kRows - 1) / Sizes<T>::kRows));
    matmul_kernel<T><<<grid, kThreads, 0, stream>>>(left, right, out, wide_out);
}

template void launch_matmul<float>(const float*, const float*, float*, int64_t, int64_t, int64_t,
                                   Strides, Strides, cudaStream_t);
template void launch_matmul<double>(const double*, const double*, double*, int64_t, int64_t,
                                    int64_t, Strides, Strides, cudaStream_t);
