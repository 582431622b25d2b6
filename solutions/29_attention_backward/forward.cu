// The forward kernel of exercise 28: out = softmax(q k^T / sqrt(d)) v for every head, without a
// matrix of scores in memory. A block keeps a tile of queries and goes over the keys, tile by tile.
#include <ATen/OpMathType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

#include "attention.h"
#include "tiles.h"

namespace {

// ---- sizes --------------------------------------------------------------------------------------

constexpr int kWarp = 32;
constexpr int kThreads = 128;
constexpr int kAcross = 16;  // threads that share the rows of a tile of scores
constexpr int kDown = kThreads / kAcross;
constexpr int kTileBytes = 16384;  // of a tile in shared memory; three tiles make 48 KiB

// T: the type that is computed with, float or double. kDims: the dimensions of a tile's rows.
template <typename T, int kDims>
struct Tile {
    static constexpr int kVector = kVectorBytes / sizeof(T);             // elements
    static constexpr int kRows = kTileBytes / (kDims * int(sizeof(T)));  // queries, and keys
    static constexpr int kThreadRows = kRows / kDown;                    // queries of a thread
    static constexpr int kThreadKeys = kRows / kAcross;
    static constexpr int kThreadVectors = kDims / kVector / kAcross;  // of each of its rows of out
};

// A thread computes the scores of its queries with its keys, and of out its rows and vectors. A
// warp has two rows of threads, lane by lane; their queries are four apart, which keeps their
// vectors in different banks. Loads in which lanes i and i ^ 1 agree, or i and i ^ 2, take half as
// many wavefronts: those of keys do by the first, those of queries by the second.
__device__ int thread_row() {
    return static_cast<int>(threadIdx.x % 2 * 4 + threadIdx.x / kWarp);
}
__device__ int thread_column() {
    return static_cast<int>(threadIdx.x) % kWarp / 2;
}
__device__ int query_of(int i) {
    return thread_row() + i * kDown;
}
__device__ int key_of(int j) {
    return thread_column() + j * kAcross;
}
__device__ int vector_of(int v) {
    return thread_column() + v * kAcross;
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

// ---- what a thread keeps in registers -----------------------------------------------------------

template <typename T, int kDims>
struct Rows {
    using S = Tile<T, kDims>;
    T out[S::kThreadRows][S::kThreadVectors * S::kVector] = {};  // not yet divided by the sum
    T largest[S::kThreadRows];                                   // score of the row, up to now
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
#pragma unroll 2
    for (int vector = 0; vector < kDims / S::kVector; ++vector) {
        Vector<T> left[S::kThreadRows];
#pragma unroll
        for (int i = 0; i < S::kThreadRows; ++i) left[i] = load_vector(q_tile, query_of(i), vector);
#pragma unroll
        for (int j = 0; j < S::kThreadKeys; ++j) {
            const Vector<T> right = load_vector(k_tile, key_of(j), vector);
#pragma unroll
            for (int i = 0; i < S::kThreadRows; ++i) {
#pragma unroll
                for (int e = 0; e < S::kVector; ++e) {
                    scores[i][j] += element<T>(left[i], e) * element<T>(right, e);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < S::kThreadRows; ++i) {
#pragma unroll
        for (int j = 0; j < S::kThreadKeys; ++j) scores[i][j] *= scale;
    }
}

// Minus infinity for the scores of keys that do not exist or, if causal, come after their query.
template <typename T, int kDims>
__device__ void mask(Scores<T, kDims>& scores, int64_t first_query, int64_t first_key, int64_t keys,
                     bool causal) {
    using S = Tile<T, kDims>;
#pragma unroll
    for (int i = 0; i < S::kThreadRows; ++i) {
#pragma unroll
        for (int j = 0; j < S::kThreadKeys; ++j) {
            const int64_t query = first_query + query_of(i), key = first_key + key_of(j);
            if (key >= keys || (causal && key > query)) {
                scores[i][j] = -std::numeric_limits<T>::infinity();
            }
        }
    }
}

// Turns scores into exp(score - largest), after what was kept so far has been brought to the new
// largest.
template <typename T, int kDims>
__device__ void exponentiate(Scores<T, kDims>& scores, Rows<T, kDims>& rows) {
    using S = Tile<T, kDims>;
#pragma unroll
    for (int i = 0; i < S::kThreadRows; ++i) {
        T largest = rows.largest[i];
#pragma unroll
        for (int j = 0; j < S::kThreadKeys; ++j) largest = max(largest, scores[i][j]);
        largest = row_max(largest);
        const T factor = exp(rows.largest[i] - largest);
        rows.largest[i] = largest;
        rows.sum[i] *= factor;
#pragma unroll
        for (T& each : rows.out[i]) each *= factor;
#pragma unroll
        for (int j = 0; j < S::kThreadKeys; ++j) {
            scores[i][j] = exp(scores[i][j] - largest);
            rows.sum[i] += scores[i][j];
        }
    }
}

// Writes this thread's weights to their places.
template <typename T, int kDims, int kRows>
__device__ void store_weights(T (&p_tile)[kRows][kRows], const Scores<T, kDims>& weights) {
    for (int i = 0; i < Tile<T, kDims>::kThreadRows; ++i) {
        for (int j = 0; j < Tile<T, kDims>::kThreadKeys; ++j) {
            p_tile[query_of(i)][swizzled<T, kRows>(query_of(i), key_of(j))] = weights[i][j];
        }
    }
}

// out += weights v, of this thread's queries and dimensions. The weights of a row are in p_tile.
template <typename T, int kRows, int kDims>
__device__ void multiply_by_values(Rows<T, kDims>& rows, const T (&p_tile)[kRows][kRows],
                                   const T (&v_tile)[kRows][kDims]) {
    using S = Tile<T, kDims>;
#pragma unroll 2
    for (int vector = 0; vector < kRows / S::kVector; ++vector) {
        Vector<T> weights[S::kThreadRows];  // of S::kVector neighbouring keys
#pragma unroll
        for (int i = 0; i < S::kThreadRows; ++i)
            weights[i] = load_vector(p_tile, query_of(i), vector);
#pragma unroll
        for (int e = 0; e < S::kVector; ++e) {
#pragma unroll
            for (int v = 0; v < S::kThreadVectors; ++v) {
                const Vector<T> values = load_vector(v_tile, vector * S::kVector + e, vector_of(v));
#pragma unroll
                for (int i = 0; i < S::kThreadRows; ++i) {
#pragma unroll
                    for (int c = 0; c < S::kVector; ++c) {
                        rows.out[i][v * S::kVector + c] +=
                            element<T>(weights[i], e) * element<T>(values, c);
                    }
                }
            }
        }
    }
}

// ---- the kernel ---------------------------------------------------------------------------------

// q: batch x heads x queries x dims; k, v: batch x heads x keys x dims; out like q and dense; lse:
// batch x heads x queries. Stored: the type in memory. Block (tile, head, batch) computes one tile
// of queries.
template <typename Stored, int kDims>
__global__ void __launch_bounds__(kThreads)
    attention_kernel(const Stored* __restrict__ q, const Stored* __restrict__ k,
                     const Stored* __restrict__ v, Stored* __restrict__ out,
                     at::opmath_type<Stored>* __restrict__ lse, Sizes sizes, Strides q_strides,
                     Strides k_strides, Strides v_strides, at::opmath_type<Stored> scale,
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
    load_tile<kThreads>(q_tile, q, first_query, sizes.queries, q_strides.row, dims, wide);
    // With a causal mask, no query of this tile has a key after the tile's last query.
    const int64_t end = causal ? min(sizes.keys, first_query + kRows) : sizes.keys;
    for (int64_t first_key = 0; first_key < end; first_key += kRows) {
        load_tile<kThreads>(kv_tile, k, first_key, sizes.keys, k_strides.row, dims, wide);
        __syncthreads();  // the keys are complete, and in the first round the queries
        Scores<T, kDims> scores = {};
        multiply_by_keys(scores, q_tile, kv_tile, scale);
        mask<T, kDims>(scores, first_query, first_key, sizes.keys, causal);
        exponentiate(scores, rows);
        store_weights<T, kDims>(p_tile, scores);
        __syncthreads();  // every warp has read the keys: the values may replace them
        load_tile<kThreads>(kv_tile, v, first_key, sizes.keys, v_strides.row, dims, wide);
        __syncthreads();  // the values are complete, and so are the weights
        multiply_by_values(rows, p_tile, kv_tile);
        __syncthreads();  // every warp has read the values and weights
    }
    // The row of out and lse, over all batches and heads, of this head's query 0.
    const int64_t first_row = (batch * sizes.heads + head) * sizes.queries;
#pragma unroll
    for (int i = 0; i < Tile<T, kDims>::kThreadRows; ++i) {
        const T sum = row_sum(rows.sum[i]);
        const int64_t query = first_query + query_of(i);
        if (query >= sizes.queries) continue;
        const T factor = sum == 0 ? T(0) : 1 / sum;  // without a key: zeros
        for (T& each : rows.out[i]) each *= factor;
        store_row<kAcross>(out + (first_row + query) * sizes.dims, rows.out[i], vector_of(0), dims,
                           wide);
        if (thread_column() == 0) lse[first_row + query] = rows.largest[i] + log(sum);
    }
}

template <int kDims, typename Stored>
void launch_tiles(const Stored* q, const Stored* k, const Stored* v, Stored* out,
                  at::opmath_type<Stored>* lse, Sizes sizes, Strides q_strides, Strides k_strides,
                  Strides v_strides, bool causal, bool wide, cudaStream_t stream) {
    using T = at::opmath_type<Stored>;
    const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(sizes.dims)));
    constexpr int kRows = Tile<T, kDims>::kRows;
    const dim3 grid(static_cast<unsigned>((sizes.queries + kRows - 1) / kRows),
                    static_cast<unsigned>(sizes.heads), static_cast<unsigned>(sizes.batch));
    attention_kernel<Stored, kDims><<<grid, kThreads, 0, stream>>>(
        q, k, v, out, lse, sizes, q_strides, k_strides, v_strides, scale, causal, wide);
}

}  // namespace

template <typename Stored>
void launch_attention(const Stored* q, const Stored* k, const Stored* v, Stored* out,
                      at::opmath_type<Stored>* lse, Sizes sizes, Strides q_strides,
                      Strides k_strides, Strides v_strides, bool causal, cudaStream_t stream) {
    if (sizes.batch * sizes.heads * sizes.queries == 0) return;
    using T = at::opmath_type<Stored>;
    constexpr int64_t kVector = kVectorBytes / sizeof(T);
    const bool wide = sizes.dims % kVector == 0 && in_vectors<T>(q, q_strides) &&
                      in_vectors<T>(k, k_strides) && in_vectors<T>(v, v_strides) &&
                      in_vectors<T>(out, {0, 0, sizes.dims});
    const auto launch = sizes.dims <= 64 ? launch_tiles<64, Stored> : launch_tiles<128, Stored>;
    launch(q, k, v, out, lse, sizes, q_strides, k_strides, v_strides, causal, wide, stream);
}

#define INSTANTIATE(Stored)                                                                      \
    template void launch_attention<Stored>(const Stored*, const Stored*, const Stored*, Stored*, \
                                           at::opmath_type<Stored>*, Sizes, Strides, Strides,    \
                                           Strides, bool, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(c10::Half)
INSTANTIATE(c10::BFloat16)
