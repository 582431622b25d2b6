// out = a @ b on tensor cores: operands of 16 bits, sums in float. A block's pairs of tiles arrive in shared
// memory, each warp loads fragments of them, and the whole warp multiplies 16 x 16 x 16 with one call.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <type_traits>

#include "strides.h"

namespace wmma = nvcuda::wmma;

namespace {

// ---- the sizes of the tiles, in elements ------------------------------------------------------------

constexpr int kFragment = 16;                    // of a fragment, in every direction
constexpr int kWarpRows = 64, kWarpColumns = 64; // of out, for each warp
constexpr int kWarpsDown = 2, kWarpsAcross = 4;  // the warps of a block
constexpr int kDepth = 32;                       // of a tile along k
constexpr int kSteps = kDepth / kFragment;       // that a warp multiplies for each pair of tiles
constexpr int kStages = 3;                       // pairs of tiles in shared memory
constexpr int kBlocks = 1;                       // that a multiprocessor should hold
constexpr int kVector = 8;                       // elements in 16 bytes: the most that one copy moves
// Elements behind each line of a tile. Without them, eight lines would be in the same banks.
constexpr int kPadding = 8;

// Of out, for each block; and of a warp.
constexpr int kRows = kWarpRows * kWarpsDown, kColumns = kWarpColumns * kWarpsAcross;
constexpr int kFragmentsDown = kWarpRows / kFragment, kFragmentsAcross = kWarpColumns / kFragment;
constexpr int kThreads = 32 * kWarpsDown * kWarpsAcross;
static_assert(kSteps % 2 == 0, "the last step of a round is multiplied from steps[1]");

// An operand: rows x columns elements from `data` on. `wide`: its lines can be copied a vector at a time.
template <typename T>
struct Matrix {
    const T* data;
    int64_t rows, columns;
    Strides strides;
    bool wide;
};

// Rows x Columns elements in shared memory, as lines of neighbours: rows (row_major), columns (col_major).
template <typename T, typename Layout, int Rows, int Columns>
struct Tile {
    static constexpr bool kByRows = std::is_same_v<Layout, wmma::row_major>;
    static constexpr int kLines = kByRows ? Rows : Columns, kLength = kByRows ? Columns : Rows;
    static constexpr int kStride = kLength + kPadding;  // from one line to the next: the leading dimension
    T data[kLines * kStride];

    __device__ const T* at(int row, int column) const {
        return &data[kByRows ? row * kStride + column : column * kStride + row];
    }

    // The order in which lines are filled. Eight threads store together. Where these fill two lines, the two
    // are four apart: those are in different banks, and neighbours are not.
    __device__ static int line_of(int i) {
        return kLength == 4 * kVector ? i / 8 * 8 + i % 2 * 4 + i % 8 / 2 : i;
    }
};

// What one step of kDepth along k needs.
template <typename T, typename LayoutA, typename LayoutB>
struct Pair {
    Tile<T, LayoutA, kRows, kDepth> a;
    Tile<T, LayoutB, kDepth, kColumns> b;
};

// ---- tiles on their way to shared memory ------------------------------------------------------------

// Copies a vector of which only the first `there` elements exist; zeros in place of the others.
template <typename T>
__device__ void copy_part(T* to, const T* from, int64_t there) {
    if (there >= kVector) {
        __pipeline_memcpy_async(to, from, kVector * sizeof(T));
    } else {
        alignas(kVector * sizeof(T)) T part[kVector];
#pragma unroll
        for (int i = 0; i < kVector; ++i) part[i] = i < there ? from[i] : T(0.0f);
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(part);
    }
}

// Starts the copies of x from (first_row, first_column) on; zeros where x has no element. Every thread of the
// block calls it, and starts an equal part of the copies.
template <typename T, typename Layout, int Rows, int Columns>
__device__ void start_copy(Tile<T, Layout, Rows, Columns>& tile, const Matrix<T>& x, int64_t first_row,
                           int64_t first_column) {
    using To = Tile<T, Layout, Rows, Columns>;
    // x in lines, as the tile has them: element e of line l is at x.data[l * stride + e * step].
    const int64_t lines = To::kByRows ? x.rows : x.columns, length = To::kByRows ? x.columns : x.rows;
    const int64_t stride = To::kByRows ? x.strides.row : x.strides.column;
    const int64_t step = To::kByRows ? x.strides.column : x.strides.row;
    const int64_t first_line = To::kByRows ? first_row : first_column;
    const int64_t first = To::kByRows ? first_column : first_row;
    const int thread = static_cast<int>(threadIdx.x);
    if (x.wide) {
        constexpr int kAcross = To::kLength / kVector;  // vectors in a line
        constexpr int kAtOnce = kThreads / kAcross;  // lines of which the block copies all at the same time
        static_assert(kThreads % kAcross == 0 && To::kLines % kAtOnce == 0);
        // A thread's vectors have the same place in lines kAtOnce apart: one address serves for all.
        const int l = To::line_of(thread / kAcross), e = thread % kAcross * kVector;
        const T* from = x.data + (first_line + l) * stride + first + e;
        T* to = &tile.data[l * To::kStride + e];
        if (first_line + To::kLines <= lines && first + To::kLength <= length) {  // all of it exists
#pragma unroll
            for (int n = 0; n < To::kLines; n += kAtOnce, from += kAtOnce * stride) {
                __pipeline_memcpy_async(to + n * To::kStride, from, kVector * sizeof(T));
            }
        } else {
            // Not unrolled: code for the tiles at edges would take registers from that for all others.
#pragma unroll 1
            for (int n = 0; n < To::kLines; n += kAtOnce, from += kAtOnce * stride) {
                copy_part(to + n * To::kStride, from, first_line + l + n < lines ? length - first - e : 0);
            }
        }
    } else {
#pragma unroll 1
        for (int i = thread; i < To::kLines * To::kLength; i += kThreads) {
            // No asynchronous copy has fewer than 4 bytes: these go through a register.
            const int l = i / To::kLength, e = i % To::kLength;
            const bool exists = first_line + l < lines && first + e < length;
            tile.data[l * To::kStride + e] =
                exists ? x.data[(first_line + l) * stride + (first + e) * step] : T(0.0f);
        }
    }
}

// ---- one pair of tiles ------------------------------------------------------------------------------

// A warp's elements of out. Which lane holds which of them is not specified.
struct Sums {
    wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float> at[kFragmentsDown]
                                                                                [kFragmentsAcross];
};

// Where a warp's elements begin in the block's tile of out.
__device__ int warp_row() { return static_cast<int>(threadIdx.x) / 32 / kWarpsAcross * kWarpRows; }
__device__ int warp_column() { return static_cast<int>(threadIdx.x) / 32 % kWarpsAcross * kWarpColumns; }

// What a warp multiplies in one step of kFragment along k.
template <typename T, typename LayoutA, typename LayoutB>
struct Step {
    wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, T, LayoutA> left[kFragmentsDown];
    wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, T, LayoutB> right[kFragmentsAcross];

    // Loads the warp's fragments of a pair of tiles: those that begin at k.
    __device__ void load(const Pair<T, LayoutA, LayoutB>& pair, int k) {
#pragma unroll
        for (int i = 0; i < kFragmentsDown; ++i) {
            wmma::load_matrix_sync(left[i], pair.a.at(warp_row() + i * kFragment, k), pair.a.kStride);
        }
#pragma unroll
        for (int j = 0; j < kFragmentsAcross; ++j) {
            wmma::load_matrix_sync(right[j], pair.b.at(k, warp_column() + j * kFragment), pair.b.kStride);
        }
    }
};

// Adds to a warp's sums what one step contributes.
template <typename T, typename LayoutA, typename LayoutB>
__device__ void multiply(Sums& sums, const Step<T, LayoutA, LayoutB>& step) {
    for (int j = 0; j < kFragmentsAcross; ++j)
        for (int n = 0; n < kFragmentsDown; ++n) {
            const int i = j % 2 ? kFragmentsDown - 1 - n : n;
            auto& sum = sums.at[i][j];
            wmma::mma_sync(sum, step.left[i], step.right[j], sum);
        }
}

// ---- the result -------------------------------------------------------------------------------------

// A warp's strip: the rows of one fragment. Its padding puts rows that are stored together into different
// banks.
constexpr int kStripStride = kWarpColumns + 8;  // floats
constexpr int kStripBytes = kFragment * kStripStride * static_cast<int>(sizeof(float));

__device__ void convert(__half& to, float from) { to = __float2half_rn(from); }
__device__ void convert(__nv_bfloat16& to, float from) { to = __float2bfloat16_rn(from); }

// Rounds four numbers of a row and writes those that exist, `there` or all of them; with one store if `wide`.
template <typename T>
__device__ void store_four(T* to, const float* from, int64_t there, bool wide) {
    struct alignas(4 * sizeof(T)) Four {
        T value[4];
    } four;
    const float4 sums = *reinterpret_cast<const float4*>(from);
    convert(four.value[0], sums.x);
    convert(four.value[1], sums.y);
    convert(four.value[2], sums.z);
    convert(four.value[3], sums.w);
    if (wide) {  // rows of out are a multiple of four: all four exist
        *reinterpret_cast<Four*>(to) = four;
    } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            if (e < there) to[e] = four.value[e];
        }
    }
}

// ---- the kernel -------------------------------------------------------------------------------------

// a: m x k, b: k x n, with any strides; out: m x n, row-major and dense. One block for each tile of out.
template <typename T, typename LayoutA, typename LayoutB>
__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(const Matrix<T> a, const Matrix<T> b, T* __restrict__ out, bool wide_out) {
    extern __shared__ __align__(128) unsigned char memory[];
    auto* pairs = reinterpret_cast<Pair<T, LayoutA, LayoutB>*>(memory);  // kStages of them
    const int64_t m = a.rows, n = b.columns;
    const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kRows;
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kColumns;
    const int rounds = static_cast<int>((a.columns + kDepth - 1) / kDepth);

    // Starts the copies for one round, and closes their batch, which is empty if there is no such round.
    const auto start = [&](int round) {
        if (round < rounds) {
            auto& pair = pairs[round % kStages];
            start_copy(pair.a, a, first_row, static_cast<int64_t>(round) * kDepth);
            start_copy(pair.b, b, static_cast<int64_t>(round) * kDepth, first_column);
        }
        __pipeline_commit();
    };
    Sums sums;
#pragma unroll
    for (int i = 0; i < kFragmentsDown; ++i) {
#pragma unroll
        for (int j = 0; j < kFragmentsAcross; ++j) wmma::fill_fragment(sums.at[i][j], 0.0f);
    }

    Step<T, LayoutA, LayoutB> steps[2];  // one is multiplied while the other is loaded
    for (int round = 0; round < kStages - 1; ++round) start(round);
    for (int round = 0; round < rounds; ++round) {
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        for (int step = 0; step < kSteps; ++step) {
            steps[0].load(pairs[round % kStages], step * kFragment);
            multiply(sums, steps[0]);
        }
        start(round + kStages - 1);
    }

    __syncthreads();
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    float* strip = reinterpret_cast<float*>(memory + warp * kStripBytes);
    for (int i = 0; i < kFragmentsDown; ++i) {
        for (int j = 0; j < kFragmentsAcross; ++j) wmma::store_matrix_sync(&strip[j * kFragment], sums.at[i][j], kStripStride, wmma::mem_row_major);
        __syncwarp();
        constexpr int kFours = kWarpColumns / 4;
        for (int v = lane; v < kFragment * kFours; v += 32) {
            const int64_t row = first_row + warp_row() + i * kFragment + v / kFours;
            const int64_t column = first_column + warp_column() + v % kFours * 4;
            if (row < m && column < n) store_four(out + row * n + column, strip + v / kFours * kStripStride + v % kFours * 4, n - column, wide_out);
        }
        __syncwarp();
    }
}

// ---- the launch -------------------------------------------------------------------------------------

// Whether every line begins at a multiple of 16 bytes, and its elements follow one another.
template <typename T>
bool in_vectors(const T* data, int64_t stride, int64_t step) {
    return step == 1 && stride % kVector == 0 &&
           reinterpret_cast<uintptr_t>(data) % (kVector * sizeof(T)) == 0;
}

template <typename T, typename LayoutA, typename LayoutB>
void launch_in(Matrix<T> a, Matrix<T> b, T* out, cudaStream_t stream) {
    constexpr bool kRowsOfA = std::is_same_v<LayoutA, wmma::row_major>;
    constexpr bool kRowsOfB = std::is_same_v<LayoutB, wmma::row_major>;
    a.wide = kRowsOfA ? in_vectors(a.data, a.strides.row, a.strides.column)
                      : in_vectors(a.data, a.strides.column, a.strides.row);
    b.wide = kRowsOfB ? in_vectors(b.data, b.strides.row, b.strides.column)
                      : in_vectors(b.data, b.strides.column, b.strides.row);
    const bool wide_out = b.columns % 4 == 0;
    constexpr int kBytes = kStages * static_cast<int>(sizeof(Pair<T, LayoutA, LayoutB>));
    static_assert(kBytes >= kWarpsDown * kWarpsAcross * kStripBytes);
    // A kernel gets more than 48 KiB of shared memory only if that is requested.
    cudaFuncSetAttribute(matmul_kernel<T, LayoutA, LayoutB>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         kBytes);
    const dim3 grid(static_cast<unsigned>((b.columns + kColumns - 1) / kColumns),
                    static_cast<unsigned>((a.rows + kRows - 1) / kRows));
    matmul_kernel<T, LayoutA, LayoutB><<<grid, kThreads, kBytes, stream>>>(a, b, out, wide_out);
}

}  // namespace

template <typename T>
void launch_matmul(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n, Strides a_strides,
                   Strides b_strides, cudaStream_t stream) {
    if (m == 0 || n == 0) return;  // nothing to write; k == 0 still launches and writes zeros
    const Matrix<T> left{a, m, k, a_strides, false}, right{b, k, n, b_strides, false};
    using Row = wmma::row_major; using Col = wmma::col_major;
    auto with_b = [&](auto la) {
        using LA = decltype(la);
        if (b_strides.row == 1) launch_in<T, LA, Col>(left, right, out, stream);
        else launch_in<T, LA, Row>(left, right, out, stream);
    };
    if (a_strides.row == 1) with_b(Col{}); else with_b(Row{});
}

template void launch_matmul<__half>(const __half*, const __half*, __half*, int64_t, int64_t, int64_t, Strides,
                                    Strides, cudaStream_t);
template void launch_matmul<__nv_bfloat16>(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*,
                                           int64_t, int64_t, int64_t, Strides, Strides, cudaStream_t);
