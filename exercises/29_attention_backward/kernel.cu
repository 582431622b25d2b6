// The gradients of q, k and v, without a matrix of scores: a tile of weights at a time is computed
// again, from q, k and the log-sum-exp that forward has kept. No atomics: every gradient is added
// up by one block.
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
constexpr int kAcross = 8;  // threads that share the rows of a tile of scores
constexpr int kBlocks = 2;  // for which a multiprocessor should have registers
constexpr int kDeltaThreads = 128;  // of a block that computes deltas, one for each warp

// log2(e): exp(x) = exp2(kLog2E<T> * x), and a GPU has an instruction for exp2 alone.
template <typename T>
constexpr T kLog2E = static_cast<T>(1.4426950408889634);

// T: the type that is computed with, float or double. kDims: the dimensions of a tile's rows. A
// tile of scores has a row for each of the block's own queries (or keys), and a column for each key
// (or query) of this round.
template <typename T, int kDims>
struct Tile {
    // In a large tile a thread has 4 x 8 scores, so that each vector it loads serves more products.
    // Rows of 512 bytes have small tiles: their gradients take the registers.
    static constexpr bool kLarge = kDims * sizeof(T) <= 256;
    static constexpr int kThreads = kLarge ? 128 : 64, kDown = kThreads / kAcross;
    static constexpr int kBytes = kLarge ? 16384 : 8192;             // of a tile of rows
    static constexpr int kVector = kVectorBytes / sizeof(T);         // elements
    static constexpr int kRows = kBytes / (kDims * int(sizeof(T)));  // queries, and keys
    static constexpr int kThreadRows = kRows / kDown, kThreadColumns = kRows / kAcross;
    static constexpr int kThreadVectors =
        kDims / kVector / kAcross;  // of each of its rows of a gradient

    // The thread's row i and column j. A warp has four rows of threads, two rows apart: their
    // vectors are in different banks. Lanes i and i ^ 1 share a column, and lanes i and i ^ 2 a
    // row: loads in which such lanes agree take half as many wavefronts, whether they are of rows
    // or of columns.
    __device__ static int row_of(int i) {
        const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
        const unsigned first = (lane % 2 + lane / 4 % 2 * 2) * 2 + warp % 2 + warp / 2 * 8;
        return static_cast<int>(first) + i * kDown;
    }
    __device__ static int column_of(int j) {
        const unsigned lane = threadIdx.x % kWarp;
        return static_cast<int>(lane / 2 % 2 + lane / 8 * 2) + j * kAcross;
    }
};

// What a block keeps in shared memory: at most 80 KiB. More than 48 KiB have to be dynamic.
template <typename T, int kDims>
struct Tiles {
    static constexpr int kRows = Tile<T, kDims>::kRows;
    T q[kRows][kDims], grad_out[kRows][kDims], k[kRows][kDims], v[kRows][kDims];
    T p[kRows][kRows];  // rows: the block's own queries or keys
};

// ---- what a thread keeps in registers -----------------------------------------------------------

// Of a tile of scores, weights or their gradients.
template <typename T, int kDims>
struct Scores {
    T at[Tile<T, kDims>::kThreadRows][Tile<T, kDims>::kThreadColumns] = {};
};

// Of a gradient's rows: vectors column_of(0), column_of(1), ... of rows row_of(0), row_of(1), ...
template <typename T, int kDims>
struct Sums {
    T at[Tile<T, kDims>::kThreadRows]
        [Tile<T, kDims>::kThreadVectors * Tile<T, kDims>::kVector] = {};
};

// lse and delta of a thread's queries. kQueriesDown: the rows of the tile are queries, and not its
// columns.
template <typename T, int kDims, bool kQueriesDown>
struct Queries {
    using S = Tile<T, kDims>;
    // Queries of a thread.
    static constexpr int kEach = kQueriesDown ? S::kThreadRows : S::kThreadColumns;
    T lse[kEach], delta[kEach];

    // first_row: the place of the head's query 0 in lse and delta.
    template <typename Stored>
    __device__ Queries(const Saved<Stored, T>& saved, int64_t first_row, int64_t first_query) {
        for (int i = 0; i < kEach; ++i) {
            const int64_t query = first_query + (kQueriesDown ? S::row_of(i) : S::column_of(i));
            const bool there = query < saved.sizes.queries;
            lse[i] = there ? saved.lse[first_row + query]
                           : std::numeric_limits<T>::infinity();  // weights: 0
            delta[i] = there ? saved.delta[first_row + query] : T(0);
        }
    }
    // Which of the thread's queries, and of its keys, the score at [i][j] belongs to.
    __device__ static int query(int i, int j) { return kQueriesDown ? i : j; }
    __device__ static int query_place(int i, int j) {
        return kQueriesDown ? S::row_of(i) : S::column_of(j);
    }
    __device__ static int key_place(int i, int j) {
        return kQueriesDown ? S::column_of(j) : S::row_of(i);
    }
};

// ---- two products: those of exercise 28 ---------------------------------------------------------

// scores += left right^T, of this thread's rows of left and of right.
template <typename T, int kRows, int kDims>
__device__ void multiply_rows(Scores<T, kDims>& scores, const T (&left)[kRows][kDims],
                              const T (&right)[kRows][kDims]) {
    using S = Tile<T, kDims>;
#pragma unroll 2
    for (int vector = 0; vector < kDims / S::kVector; ++vector) {
        Vector<T> of_left[S::kThreadRows];
#pragma unroll
        for (int i = 0; i < S::kThreadRows; ++i) {
            of_left[i] = load_vector(left, S::row_of(i), vector);
        }
#pragma unroll
        for (int j = 0; j < S::kThreadColumns; ++j) {
            const Vector<T> of_right = load_vector(right, S::column_of(j), vector);
#pragma unroll
            for (int i = 0; i < S::kThreadRows; ++i) {
#pragma unroll
                for (int e = 0; e < S::kVector; ++e) {
                    scores.at[i][j] += element<T>(of_left[i], e) * element<T>(of_right, e);
                }
            }
        }
    }
}

// sums += weights rows: each of this thread's rows of weights times its vectors of all the rows of
// a tile.
template <typename T, int kRows, int kDims>
__device__ void add_weighted(Sums<T, kDims>& sums, const T (&weights)[kRows][kRows],
                             const T (&rows)[kRows][kDims]) {
    using S = Tile<T, kDims>;
#pragma unroll 2
    for (int vector = 0; vector < kRows / S::kVector; ++vector) {
        Vector<T> of_weights[S::kThreadRows];
#pragma unroll
        for (int i = 0; i < S::kThreadRows; ++i) {
            of_weights[i] = load_vector(weights, S::row_of(i), vector);
        }
#pragma unroll
        for (int e = 0; e < S::kVector; ++e) {
#pragma unroll
            for (int v = 0; v < S::kThreadVectors; ++v) {
                const Vector<T> of_row =
                    load_vector(rows, vector * S::kVector + e, S::column_of(v));
#pragma unroll
                for (int i = 0; i < S::kThreadRows; ++i) {
#pragma unroll
                    for (int c = 0; c < S::kVector; ++c) {
                        sums.at[i][v * S::kVector + c] +=
                            element<T>(of_weights[i], e) * element<T>(of_row, c);
                    }
                }
            }
        }
    }
}

// Writes this thread's scores to their places. A row of them is written, and read, by one warp.
template <typename T, int kRows, int kDims>
__device__ void store_scores(T (&tile)[kRows][kRows], const Scores<T, kDims>& scores) {
    using S = Tile<T, kDims>;
    for (int i = 0; i < S::kThreadRows; ++i) {
        for (int j = 0; j < S::kThreadColumns; ++j) {
            tile[S::row_of(i)][swizzled<T, kRows>(S::row_of(i), S::column_of(j))] = scores.at[i][j];
        }
    }
}

// Writes factor * sums to rows first, first + 1, ... of a head's gradient, as far as there are
// rows.
template <typename T, int kDims, typename Stored>
__device__ void store_sums(Stored* gradient, Sums<T, kDims>& sums, T factor, int64_t first,
                           int64_t rows, int64_t dims, bool wide) {
    using S = Tile<T, kDims>;
#pragma unroll
    for (int i = 0; i < S::kThreadRows; ++i) {
        const int64_t row = first + S::row_of(i);
        if (row >= rows) continue;
        for (T& each : sums.at[i]) each *= factor;
        store_row<kAcross>(gradient + row * dims, sums.at[i], S::column_of(0),
                           static_cast<int>(dims), wide);
    }
}

// ---- from scores to their gradients -------------------------------------------------------------

// Turns the products q k^T of a tile into the weights of the softmax; 0 for keys that do not exist
// or, if causal, come after their query.
template <typename T, int kDims, bool kQueriesDown>
__device__ void to_weights(Scores<T, kDims>& scores, const Queries<T, kDims, kQueriesDown>& queries,
                           T scale, int64_t first_query, int64_t first_key, int64_t keys,
                           bool causal) {
    // TODO(weights): exp(scale * score - lse) for each score; 0 where the key does not exist, or causal
    //   forbids it, about 20 lines.
}

// Turns weights into the gradients of the scores. products: of the rows of grad_out and of v.
template <typename T, int kDims, bool kQueriesDown>
__device__ void to_gradients(Scores<T, kDims>& weights, const Scores<T, kDims>& products,
                             const Queries<T, kDims, kQueriesDown>& queries) {
    // TODO(score_gradients): multiply each weight by its product less the delta of its query, about 7
    //   lines.
}

// ---- the kernels --------------------------------------------------------------------------------

// delta = grad_out out - grad_lse, one number for each row. out, grad_lse and delta are dense. A
// warp has a row.
template <typename Stored, typename T>
__global__ void delta_kernel(const Stored* __restrict__ grad_out, const Stored* __restrict__ out,
                             const T* __restrict__ grad_lse, T* __restrict__ delta, Sizes sizes,
                             Strides grad_strides) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int64_t row =
        static_cast<int64_t>(blockIdx.x) * (kDeltaThreads / kWarp) + threadIdx.x / kWarp;
    if (row >= sizes.batch * sizes.heads * sizes.queries) return;
    const int64_t query = row % sizes.queries, head = row / sizes.queries % sizes.heads;
    const int64_t batch = row / sizes.queries / sizes.heads;
    grad_out += batch * grad_strides.batch + head * grad_strides.head + query * grad_strides.row;
    out += row * sizes.dims;
    // TODO(delta): the sum of grad_out * out over the row, by all lanes of the warp; less grad_lse, and
    //   written once, about 8 lines.
}

// A head's rows of a tensor: its query (or key) 0.
template <typename Stored>
__device__ const Stored* of_head(const Stored* x, Strides strides) {
    return x + blockIdx.z * strides.batch + blockIdx.y * strides.head;
}

// grad_q, like q and dense. Block (tile, head, batch) computes one tile of queries.
template <typename Stored, int kDims>
__global__ void __launch_bounds__(Tile<at::opmath_type<Stored>, kDims>::kThreads, kBlocks)
    grad_q_kernel(Saved<Stored, at::opmath_type<Stored>> saved, Stored* __restrict__ grad_q,
                  at::opmath_type<Stored> scale, bool wide) {
    using T = at::opmath_type<Stored>;
    constexpr int kRows = Tile<T, kDims>::kRows, kThreads = Tile<T, kDims>::kThreads;
    extern __shared__ __align__(kVectorBytes) unsigned char memory[];
    auto& [q_tile, grad_tile, k_tile, v_tile, p_tile] = *reinterpret_cast<Tiles<T, kDims>*>(memory);
    const Sizes& sizes = saved.sizes;
    const int dims = static_cast<int>(sizes.dims);
    const Stored* k = of_head(saved.k, saved.k_strides);
    const Stored* v = of_head(saved.v, saved.v_strides);
    const int64_t first_row = (blockIdx.z * sizes.heads + blockIdx.y) * sizes.queries;
    // The last queries come first: with a causal mask, these blocks have most to do.
    const int64_t first_query = static_cast<int64_t>(gridDim.x - 1 - blockIdx.x) * kRows;
    load_tile<kThreads>(q_tile, of_head(saved.q, saved.q_strides), first_query, sizes.queries,
                        saved.q_strides.row, dims, wide);
    load_tile<kThreads>(grad_tile, of_head(saved.grad_out, saved.grad_strides), first_query,
                        sizes.queries, saved.grad_strides.row, dims, wide);
    const Queries<T, kDims, true> queries(saved, first_row, first_query);
    Sums<T, kDims> sums;
    // TODO(rounds_of_keys): for each tile of keys: load it, weights, their gradients to p_tile, add
    //   them times the keys; store grad_q, about 17 lines.
}

// grad_k and grad_v, like k and v and dense. Block (tile, head, batch) computes one tile of keys.
template <typename Stored, int kDims>
__global__ void __launch_bounds__(Tile<at::opmath_type<Stored>, kDims>::kThreads, kBlocks)
    grad_kv_kernel(Saved<Stored, at::opmath_type<Stored>> saved, Stored* __restrict__ grad_k,
                   Stored* __restrict__ grad_v, at::opmath_type<Stored> scale, bool wide) {
    using T = at::opmath_type<Stored>;
    constexpr int kRows = Tile<T, kDims>::kRows, kThreads = Tile<T, kDims>::kThreads;
    extern __shared__ __align__(kVectorBytes) unsigned char memory[];
    auto& [q_tile, grad_tile, k_tile, v_tile, p_tile] = *reinterpret_cast<Tiles<T, kDims>*>(memory);
    const Sizes& sizes = saved.sizes;
    const int dims = static_cast<int>(sizes.dims);
    const Stored* q = of_head(saved.q, saved.q_strides);
    const Stored* grad_out = of_head(saved.grad_out, saved.grad_strides);
    const int64_t head = blockIdx.z * sizes.heads + blockIdx.y;
    const int64_t first_row = head * sizes.queries;
    const int64_t first_key = static_cast<int64_t>(blockIdx.x) * kRows;
    load_tile<kThreads>(k_tile, of_head(saved.k, saved.k_strides), first_key, sizes.keys,
                        saved.k_strides.row, dims, wide);
    load_tile<kThreads>(v_tile, of_head(saved.v, saved.v_strides), first_key, sizes.keys,
                        saved.v_strides.row, dims, wide);
    grad_k += head * sizes.keys * sizes.dims;
    grad_v += head * sizes.keys * sizes.dims;
    Sums<T, kDims> of_k, of_v;
    // TODO(rounds_of_queries): for each tile of queries: load, weights to p_tile, add to of_v,
    //   gradients to p_tile, add to of_k; store both, about 23 lines.
}

// ---- launches -----------------------------------------------------------------------------------

template <typename T>
T scale_of(Sizes sizes) {
    return static_cast<T>(1 / std::sqrt(static_cast<double>(sizes.dims)));
}

template <typename Stored, typename T>
bool all_in_vectors(const Saved<Stored, T>& saved) {
    constexpr int64_t kVector = kVectorBytes / sizeof(T);
    return saved.sizes.dims % kVector == 0 && in_vectors<T>(saved.q, saved.q_strides) &&
           in_vectors<T>(saved.k, saved.k_strides) && in_vectors<T>(saved.v, saved.v_strides) &&
           in_vectors<T>(saved.grad_out, saved.grad_strides);
}

// A block for each tile of `rows`, head and batch.
dim3 grid_of(int64_t rows, int tile_rows, Sizes sizes) {
    return {static_cast<unsigned>((rows + tile_rows - 1) / tile_rows),
            static_cast<unsigned>(sizes.heads), static_cast<unsigned>(sizes.batch)};
}

// A kernel gets more than 48 KiB of dynamic shared memory only if that is requested.
template <typename Kernel>
void allow_dynamic(Kernel* kernel, int bytes) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

// Whether rows of so many dimensions get tiles of 64. Before compute capability 8.0, a block cannot
// have the 80 KiB that floats then take; the tiles of 128 dimensions fit on every GPU.
template <typename T>
bool in_short_rows(int64_t dims) {
    int device = 0, most = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return dims <= 64 && sizeof(Tiles<T, 64>) <= static_cast<size_t>(most);
}

template <int kDims, typename Stored, typename T>
void launch_grad_q_tiles(const Saved<Stored, T>& saved, Stored* grad_q, cudaStream_t stream) {
    const dim3 grid = grid_of(saved.sizes.queries, Tile<T, kDims>::kRows, saved.sizes);
    constexpr int kBytes = sizeof(Tiles<T, kDims>), kThreads = Tile<T, kDims>::kThreads;
    allow_dynamic(grad_q_kernel<Stored, kDims>, kBytes);
    grad_q_kernel<Stored, kDims><<<grid, kThreads, kBytes, stream>>>(
        saved, grad_q, scale_of<T>(saved.sizes), all_in_vectors(saved));
}

template <int kDims, typename Stored, typename T>
void launch_grad_kv_tiles(const Saved<Stored, T>& saved, Stored* grad_k, Stored* grad_v,
                          cudaStream_t stream) {
    const dim3 grid = grid_of(saved.sizes.keys, Tile<T, kDims>::kRows, saved.sizes);
    constexpr int kBytes = sizeof(Tiles<T, kDims>), kThreads = Tile<T, kDims>::kThreads;
    allow_dynamic(grad_kv_kernel<Stored, kDims>, kBytes);
    grad_kv_kernel<Stored, kDims><<<grid, kThreads, kBytes, stream>>>(
        saved, grad_k, grad_v, scale_of<T>(saved.sizes), all_in_vectors(saved));
}

}  // namespace

template <typename Stored, typename T>
void launch_delta(const Stored* grad_out, const Stored* out, const T* grad_lse, T* delta,
                  Sizes sizes, Strides grad_strides, cudaStream_t stream) {
    constexpr int64_t kRows = kDeltaThreads / kWarp;
    const int64_t rows = sizes.batch * sizes.heads * sizes.queries;
    if (rows == 0) return;
    delta_kernel<<<static_cast<unsigned>((rows + kRows - 1) / kRows), kDeltaThreads, 0, stream>>>(
        grad_out, out, grad_lse, delta, sizes, grad_strides);
}

template <typename Stored, typename T>
void launch_grad_q(const Saved<Stored, T>& saved, Stored* grad_q, cudaStream_t stream) {
    if (saved.sizes.batch * saved.sizes.heads * saved.sizes.queries == 0) return;
    const auto launch = in_short_rows<T>(saved.sizes.dims) ? launch_grad_q_tiles<64, Stored, T>
                                                         : launch_grad_q_tiles<128, Stored, T>;
    launch(saved, grad_q, stream);
}

template <typename Stored, typename T>
void launch_grad_kv(const Saved<Stored, T>& saved, Stored* grad_k, Stored* grad_v,
                    cudaStream_t stream) {
    if (saved.sizes.batch * saved.sizes.heads * saved.sizes.keys == 0) return;
    const auto launch = in_short_rows<T>(saved.sizes.dims) ? launch_grad_kv_tiles<64, Stored, T>
                                                         : launch_grad_kv_tiles<128, Stored, T>;
    launch(saved, grad_k, grad_v, stream);
}

#define INSTANTIATE(Stored, T)                                                               \
    template void launch_delta<Stored, T>(const Stored*, const Stored*, const T*, T*, Sizes, \
                                          Strides, cudaStream_t);                            \
    template void launch_grad_q<Stored, T>(const Saved<Stored, T>&, Stored*, cudaStream_t);  \
    template void launch_grad_kv<Stored, T>(const Saved<Stored, T>&, Stored*, Stored*,       \
                                            cudaStream_t);
INSTANTIATE(float, float)
INSTANTIATE(double, double)
INSTANTIATE(c10::Half, float)
INSTANTIATE(c10::BFloat16, float)
