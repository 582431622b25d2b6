// out = softmax(q k^T / sqrt(d)) v for every head, without a matrix of scores in memory. A block keeps a
// tile of queries and goes over the keys, tile by tile; its threads keep scores, maxima, sums and results
// in registers.
#include <ATen/OpMathType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>

#include "attention.h"

namespace {

// ---- sizes --------------------------------------------------------------------------------------------

constexpr int kWarp = 32;
constexpr int kThreads = 128;
constexpr int kAcross = 16;                 // threads that share the rows of a tile of scores
constexpr int kDown = kThreads / kAcross;
constexpr int kTileBytes = 16384;           // of a tile in shared memory; three tiles make 48 KiB
constexpr int kVectorBytes = 16;            // that one instruction loads

// T: the type that is computed with, float or double. kDims: the dimensions of a tile's rows.
template <typename T, int kDims>
struct Tile {
    static constexpr int kVector = kVectorBytes / sizeof(T);             // elements
    static constexpr int kRows = kTileBytes / (kDims * int(sizeof(T)));  // queries, and keys
    static constexpr int kThreadRows = kRows / kDown;                    // queries of a thread
    static constexpr int kThreadKeys = kRows / kAcross;
    static constexpr int kThreadVectors = kDims / kVector / kAcross;     // of each of its rows of out
};

// A thread computes the scores of its queries with its keys, and of out its rows and vectors. A warp has two
// rows of threads, lane by lane; their queries are four apart, which keeps their vectors in different banks.
// Loads in which lanes i and i ^ 1 agree, or i and i ^ 2, take half as many wavefronts: those of keys do by
// the first, those of queries by the second.
__device__ int thread_row() { return static_cast<int>(threadIdx.x % 2 * 4 + threadIdx.x / kWarp); }
__device__ int thread_column() { return static_cast<int>(threadIdx.x) % kWarp / 2; }
__device__ int query_of(int i) { return thread_row() + i * kDown; }
__device__ int key_of(int j) { return thread_column() + j * kAcross; }
__device__ int vector_of(int v) { return thread_column() + v * kAcross; }

// ---- vectors and tiles --------------------------------------------------------------------------------

template <typename T>
using Vector = std::conditional_t<std::is_same_v<T, float>, float4, double2>;

// Neighbours in memory that one instruction loads or stores.
template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
    T value[kWidth];
};

template <typename T>
__device__ T element(const Vector<T>& vector, int index) {
    return reinterpret_cast<const T*>(&vector)[index];
}

// The place of an element in a row of a tile. Vectors of neighbouring rows are exchanged with each other, so
// that the same vector of eight neighbouring rows is in different banks (exercise 13).
template <typename T>
__device__ int swizzled(int row, int column) {
    constexpr unsigned kVector = kVectorBytes / sizeof(T);
    // Unsigned: the remainder of a signed number that may be negative takes more than one mask.
    const unsigned place = static_cast<unsigned>(column) / kVector ^ static_cast<unsigned>(row) % 8;
    return static_cast<int>(place * kVector + static_cast<unsigned>(column) % kVector);
}

template <typename T, int kRows, int kColumns>
__device__ Vector<T> load_vector(const T (&tile)[kRows][kColumns], int row, int vector) {
    constexpr int kVector = kVectorBytes / sizeof(T);
    return *reinterpret_cast<const Vector<T>*>(&tile[row][swizzled<T>(row, vector * kVector)]);
}

// Loads rows x[first], x[first + 1], ... into a tile; zeros where x has no element. All threads call it.
// `wide`: a vector of Stored at a time, as rows begin at multiples of its size and have a whole number of them.
template <typename T, int kRows, int kDims, typename Stored>
__device__ void load_tile(T (&tile)[kRows][kDims], const Stored* __restrict__ x, int64_t first, int64_t rows,
                          int64_t stride, int dims, bool wide) {
    constexpr int kVector = kVectorBytes / sizeof(T), kAcrossRow = kDims / kVector;
    constexpr int kAtOnce = kThreads / kAcrossRow;  // rows of which all threads load one vector each
    static_assert(kThreads % kAcrossRow == 0 && kRows % kAtOnce == 0);
    const int column = static_cast<int>(threadIdx.x) % kAcrossRow * kVector;
#pragma unroll 4
    for (int n = 0; n < kRows; n += kAtOnce) {
        const int row = n + static_cast<int>(threadIdx.x) / kAcrossRow;
        const Stored* from = x + (first + row) * stride + column;
        const int there = first + row < rows ? dims - column : 0;  // elements of x from here on
        Pack<Stored, kVector> pack = {};
        if (wide) {
            if (there > 0) pack = *reinterpret_cast<const Pack<Stored, kVector>*>(from);
        } else {
            for (int e = 0; e < kVector; ++e) {
                if (e < there) pack.value[e] = from[e];
            }
        }
        Pack<T, kVector> converted;
        for (int e = 0; e < kVector; ++e) converted.value[e] = static_cast<T>(pack.value[e]);
        *reinterpret_cast<Pack<T, kVector>*>(&tile[row][swizzled<T>(row, column)]) = converted;
    }
}

// Writes a thread's vectors of one row of out.
template <typename Stored, typename T, int kColumns>
__device__ void store_row(Stored* to, const T (&values)[kColumns], int dims, bool wide) {
    constexpr int kVector = kVectorBytes / sizeof(T);
    for (int v = 0; v < kColumns / kVector; ++v) {
        const int column = vector_of(v) * kVector;
        Pack<Stored, kVector> pack;
        for (int e = 0; e < kVector; ++e) pack.value[e] = static_cast<Stored>(values[v * kVector + e]);
        if (wide) {
            if (column < dims) *reinterpret_cast<Pack<Stored, kVector>*>(to + column) = pack;
        } else {
            for (int e = 0; e < kVector; ++e) {
                if (column + e < dims) to[column + e] = pack.value[e];
            }
        }
    }
}

// The largest of a value in the 16 threads that share rows, and its sum over them.
template <typename T>
__device__ T row_max(T value) {
    for (int distance = kWarp / 2; distance > 1; distance /= 2) {
        value = max(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    return value;
}
template <typename T>
__device__ T row_sum(T value) {
    for (int distance = kWarp / 2; distance > 1; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}

// ---- what a thread keeps in registers -----------------------------------------------------------------

template <typename T, int kDims>
struct Rows {
    using S = Tile<T, kDims>;
    T out[S::kThreadRows][S::kThreadVectors * S::kVector] = {};  // not yet divided by the sum
    T largest[S::kThreadRows];  // score of the row, up to now
    T sum[S::kThreadRows] = {};  // of exp(score - largest), over this thread's keys
    __device__ Rows() {
        for (T& each : largest) each = -std::numeric_limits<T>::infinity();
    }
};

// An array type. A call cannot deduce kDims from it alone: write mask<T, kDims>(...) and
// store_weights<T, kDims>(...).
template <typename T, int kDims>
using Scores = T[Tile<T, kDims>::kThreadRows][Tile<T, kDims>::kThreadKeys];

// scores = scale q k^T, of this thread's queries and keys.
template <typename T, int kRows, int kDims>
__device__ void multiply_by_keys(Scores<T, kDims>& scores, const T (&q_tile)[kRows][kDims],
                                 const T (&k_tile)[kRows][kDims], T scale) {
    using S = Tile<T, kDims>;
    // TODO(scores): add up the products of this thread's queries and keys, a vector at a time, from
    //   registers; then scale, about 22 lines.
}

// Minus infinity for the scores of keys that do not exist or, if causal, come after their query.
template <typename T, int kDims>
__device__ void mask(Scores<T, kDims>& scores, int64_t first_query, int64_t first_key, int64_t keys,
                     bool causal) {
    using S = Tile<T, kDims>;
    // TODO(mask): minus infinity where the key does not exist, or causal forbids it, about 10 lines.
}

// Turns scores into exp(score - largest), after what was kept so far has been brought to the new largest.
template <typename T, int kDims>
__device__ void exponentiate(Scores<T, kDims>& scores, Rows<T, kDims>& rows) {
    using S = Tile<T, kDims>;
    // TODO(online): for each row: the new largest score; bring sum and out to it; exponentiate the
    //   scores and add them to sum, about 17 lines.
}

// Writes this thread's weights to their places.
template <typename T, int kDims, int kRows>
__device__ void store_weights(T (&p_tile)[kRows][kRows], const Scores<T, kDims>& weights) {
    for (int i = 0; i < Tile<T, kDims>::kThreadRows; ++i) {
        for (int j = 0; j < Tile<T, kDims>::kThreadKeys; ++j) {
            p_tile[query_of(i)][swizzled<T>(query_of(i), key_of(j))] = weights[i][j];
        }
    }
}

// out += weights v, of this thread's queries and dimensions. The weights of a row are in p_tile.
template <typename T, int kRows, int kDims>
__device__ void multiply_by_values(Rows<T, kDims>& rows, const T (&p_tile)[kRows][kRows],
                                   const T (&v_tile)[kRows][kDims]) {
    using S = Tile<T, kDims>;
    // TODO(values): for every key of the tile, multiply its weights by its vectors of v and add the
    //   products to rows.out, about 20 lines.
}

// ---- the kernel ---------------------------------------------------------------------------------------

// q: batch x heads x queries x dims; k, v: batch x heads x keys x dims; out like q and dense; lse: batch x
// heads x queries. Stored: the type in memory. Block (tile, head, batch) computes one tile of queries.
template <typename Stored, int kDims>
__global__ void __launch_bounds__(kThreads)
    attention_kernel(const Stored* __restrict__ q, const Stored* __restrict__ k, const Stored* __restrict__ v,
                     Stored* __restrict__ out, at::opmath_type<Stored>* __restrict__ lse, Sizes sizes,
                     Strides q_strides, Strides k_strides, Strides v_strides, at::opmath_type<Stored> scale,
                     bool causal, bool wide) {
    using T = at::opmath_type<Stored>;
    constexpr int kRows = Tile<T, kDims>::kRows;
    __shared__ __align__(kVectorBytes) T q_tile[kRows][kDims];
    __shared__ __align__(kVectorBytes) T kv_tile[kRows][kDims];  // keys, then values
    __shared__ __align__(kVectorBytes) T p_tile[kRows][kRows];
    const int64_t batch = blockIdx.z, head = blockIdx.y;
    const int64_t first_query = static_cast<int64_t>(blockIdx.x) * kRows;
    const int dims = static_cast<int>(sizes.dims);
    q += batch * q_strides.batch + head * q_strides.head;
    k += batch * k_strides.batch + head * k_strides.head;
    v += batch * v_strides.batch + head * v_strides.head;
    Rows<T, kDims> rows;
    load_tile(q_tile, q, first_query, sizes.queries, q_strides.row, dims, wide);
    // TODO(rounds): for each tile of keys: load it, scores, mask, exponentiate, weights to p_tile, load
    //   the values, multiply; barriers, about 15 lines.
    // The row of out and lse, over all batches and heads, of this head's query 0.
    const int64_t first_row = (batch * sizes.heads + head) * sizes.queries;
    // TODO(finish): for each row: the sum over all keys; divide; write out and lse, about 10 lines.
}

template <int kDims, typename Stored>
void launch_tiles(const Stored* q, const Stored* k, const Stored* v, Stored* out,
                  at::opmath_type<Stored>* lse, Sizes sizes,
                  Strides q_strides, Strides k_strides, Strides v_strides, bool causal, bool wide,
                  cudaStream_t stream) {
    using T = at::opmath_type<Stored>;
    const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(sizes.dims)));
    constexpr int kRows = Tile<T, kDims>::kRows;
    // TODO(launcher): one block for each tile of queries, head and batch, about 4 lines.
}

// Whether every row begins at a multiple of a vector's size, in elements of Stored.
template <typename Stored>
bool in_vectors(const Stored* data, Strides strides) {
    constexpr int64_t kVector = kVectorBytes / sizeof(at::opmath_type<Stored>);
    return reinterpret_cast<uintptr_t>(data) % (kVector * sizeof(Stored)) == 0 &&
           strides.batch % kVector == 0 && strides.head % kVector == 0 && strides.row % kVector == 0;
}

}  // namespace

template <typename Stored>
void launch_attention(const Stored* q, const Stored* k, const Stored* v, Stored* out,
                      at::opmath_type<Stored>* lse, Sizes sizes,
                      Strides q_strides, Strides k_strides, Strides v_strides, bool causal,
                      cudaStream_t stream) {
    if (sizes.batch * sizes.heads * sizes.queries == 0) return;
    constexpr int64_t kVector = kVectorBytes / sizeof(at::opmath_type<Stored>);
    const bool wide = sizes.dims % kVector == 0 && in_vectors(q, q_strides) && in_vectors(k, k_strides) &&
                      in_vectors(v, v_strides) && in_vectors(out, {0, 0, sizes.dims});
    const auto launch = sizes.dims <= 64 ? launch_tiles<64, Stored> : launch_tiles<128, Stored>;
    launch(q, k, v, out, lse, sizes, q_strides, k_strides, v_strides, causal, wide, stream);
}

#define INSTANTIATE(Stored)                                                                             \
    template void launch_attention<Stored>(const Stored*, const Stored*, const Stored*, Stored*,        \
                                           at::opmath_type<Stored>*, Sizes, Strides, Strides, Strides,  \
                                           bool, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(c10::Half)
INSTANTIATE(c10::BFloat16)
