// Layer norm over the rows of a matrix, forward and backward. A block holds a row in the registers of its
// threads: however often the code goes over the row, it is read from memory once.
#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kMostWarps = 16;  // of a block
constexpr int kHeldBytes = 64;  // of a row, in each thread: four loads of 16 bytes, all in flight
constexpr unsigned kEveryLane = 0xffffffffu;

// kWidth neighbouring values, which one instruction loads or stores if their address is a multiple of
// their size.
template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
    T value[kWidth];
};

// How many packs a thread holds of a tile, which is a row or a part of a wide one.
template <typename T, int kWidth>
constexpr int kPacks = kHeldBytes / (kWidth * static_cast<int>(sizeof(T)));

template <typename T, int kWidth>
using Held = Pack<T, kWidth>[kPacks<T, kWidth>];

// The column of the first value of this thread's pack number `pack`. Neighbouring threads hold
// neighbouring packs.
template <typename T, int kWidth>
__device__ unsigned column_of(unsigned tile, int pack) {
    return ((tile * kPacks<T, kWidth> + pack) * blockDim.x + threadIdx.x) * kWidth;
}

// The pack at `column` of a row of `columns` values; zeros past its end.
template <typename T, int kWidth>
__device__ void load_pack(Pack<T, kWidth>& pack, const T* __restrict__ row, unsigned column,
                          unsigned columns) {
    pack = column < columns ? *reinterpret_cast<const Pack<T, kWidth>*>(row + column)
                            : Pack<T, kWidth>{};
}

template <typename T, int kWidth>
__device__ void store_pack(const Pack<T, kWidth>& pack, T* __restrict__ row, unsigned column,
                           unsigned columns) {
    if (column < columns) *reinterpret_cast<Pack<T, kWidth>*>(row + column) = pack;
}

// This thread's packs of tile `tile` of a row.
template <typename T, int kWidth>
__device__ void load(Held<T, kWidth>& held, const T* __restrict__ row, unsigned tile, unsigned columns) {
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        load_pack(held[pack], row, column_of<T, kWidth>(tile, pack), columns);
    }
}

template <typename T, int kWidth>
__device__ void store(const Held<T, kWidth>& held, T* __restrict__ row, unsigned tile, unsigned columns) {
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        store_pack(held[pack], row, column_of<T, kWidth>(tile, pack), columns);
    }
}

// The two sums over a row that backward needs: of g, the gradient of the normalised values, and of g
// times those values.
template <typename T>
struct Sums {
    T g, g_normalised;
};

// The sum over a warp, the same in every lane, as in exercise 16.
template <typename T>
__device__ T warp_sum(T sum) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(kEveryLane, sum, distance);
    }
    return sum;
}

template <typename T>
__device__ Sums<T> warp_sum(Sums<T> sums) {
    return {warp_sum(sums.g), warp_sum(sums.g_normalised)};
}

// The sum over a block, the same in every thread. S is T or Sums<T>. Every thread must call it, and may
// do so again and again.
template <typename S>
__device__ S block_sum(S sum) {
    __shared__ S of_warp[kMostWarps];
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    if (warps == 1) return warp_sum(sum);
    // TODO(block_sum): from the sums of warps to that of the block, the same in every thread; the next
    //   call may follow at once, about 5 lines.
    return sum;
}

// A group of numbers: how many they are, their mean, and the sum of their squared distances from it.
template <typename T>
struct Moments {
    T count, mean, m2;
};

// The moments of two groups together. Group a may be empty: {0, 0, 0}.
template <typename T>
__device__ Moments<T> merge(Moments<T> a, Moments<T> b) {
    // TODO(merge): the count, mean and m2 of two groups together; the counts may differ, and a's may be
    //   0, about 4 lines.
    return a;
}

// How many values tile `tile` of a row has: all but the last are full.
template <typename T, int kWidth>
__device__ T count_of(unsigned tile, unsigned columns) {
    const unsigned full = kPacks<T, kWidth> * kWidth * blockDim.x;
    return static_cast<T>(min(full, columns - tile * full));
}

// The moments of the values that the threads of a block hold of a tile, the same in every thread.
template <typename T, int kWidth>
__device__ Moments<T> moments_of(const Held<T, kWidth>& held, unsigned tile, unsigned columns) {
    const T count = count_of<T, kWidth>(tile, columns);
    // TODO(moments_of): go over the held values twice: first for their mean, then for the squared
    //   distances from it, about 16 lines.
    return {};
}

// x, out: rows x columns, row-major and dense. weight, bias: columns. mean, rstd: rows. Block
// (row, tile) writes one tile of out; each block of a row reads the whole row for its moments.
template <typename T, int kWidth>
__global__ void layer_norm_kernel(const T* __restrict__ x, const T* __restrict__ weight,
                                  const T* __restrict__ bias, T* __restrict__ out,
                                  T* __restrict__ mean, T* __restrict__ rstd, unsigned columns, T eps) {
    const int64_t row = blockIdx.x;
    Held<T, kWidth> held;
    Moments<T> moments = {};
    // All tiles, this block's own at the end, so that its values are the ones left in registers.
    unsigned tile = blockIdx.y;
    for (unsigned step = 0; step < gridDim.y; ++step) {
        tile = tile + 1 < gridDim.y ? tile + 1 : 0;
        load<T, kWidth>(held, x + row * columns, tile, columns);
        moments = merge(moments, moments_of<T, kWidth>(held, tile, columns));
    }
    // TODO(normalise): 1 / sqrt(variance + eps); normalise, scale and shift the held values and write
    //   them; once per row, write mean and rstd, about 17 lines.
}

// grad_x: rows x columns. weight_parts, bias_parts: gridDim.x x columns, row b with the sums over the
// rows that the blocks (b, tile) take. A null pointer: not requested.
template <typename T, int kWidth>
__global__ void __launch_bounds__(kMostWarps* kWarp)
    layer_norm_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                               const T* __restrict__ weight, const T* __restrict__ mean,
                               const T* __restrict__ rstd, T* __restrict__ grad_x,
                               T* __restrict__ weight_parts, T* __restrict__ bias_parts, int64_t rows,
                               unsigned columns) {
    Held<T, kWidth> grad, normalised, factor;
    Held<T, kWidth> of_weight = {}, of_bias = {};  // this thread's sums over rows, for its columns
    const unsigned own_tile = blockIdx.y;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T center = mean[row], scale = rstd[row];
        Sums<T> sums = {};
        unsigned tile = own_tile;
        for (unsigned step = 0; step < gridDim.y; ++step) {
            tile = tile + 1 < gridDim.y ? tile + 1 : 0;
            load<T, kWidth>(grad, grad_out + row * columns, tile, columns);
            load<T, kWidth>(normalised, x + row * columns, tile, columns);
            load<T, kWidth>(factor, weight, tile, columns);
            // TODO(row_sums): turn the held x into normalised values; add each g = grad * factor, and g times
            //   the normalised value, to sums, about 10 lines.
        }
        sums = block_sum(sums);
        // TODO(gradients): add this row to of_weight and of_bias; then replace the held grad by the
        //   gradient of x, about 11 lines.
        if (grad_x != nullptr) store<T, kWidth>(grad, grad_x + row * columns, own_tile, columns);
    }
    const int64_t part = static_cast<int64_t>(blockIdx.x) * columns;
    if (weight_parts != nullptr) store<T, kWidth>(of_weight, weight_parts + part, own_tile, columns);
    if (bias_parts != nullptr) store<T, kWidth>(of_bias, bias_parts + part, own_tile, columns);
}

// sums[c] = the sum of column c of x (rows x columns): the second stage of exercise 14, with one part.
template <typename T>
__global__ void column_sums_kernel(const T* __restrict__ x, T* __restrict__ sums, int64_t rows,
                                   int64_t columns) {
    __shared__ T tile[kWarp][kWarp + 1];  // padded: a column of it is spread over all 32 banks
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
    const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kWarp;
    T sum = 0;
    if (first_column + lane < columns) {
        for (int64_t row = warp; row < rows; row += kWarp) sum += x[row * columns + first_column + lane];
    }
    tile[warp][lane] = sum;
    __syncthreads();  // the tile is complete: below, each warp reads what other warps wrote
    sum = tile[lane][warp];
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(kEveryLane, sum, distance);
    }
    if (lane == 0 && first_column + warp < columns) sums[first_column + warp] = sum;
}

// The fewest warps that hold a row, at most kMostWarps; then the row has several tiles.
unsigned threads_for(int64_t columns, int64_t held) {
    const int64_t warps = (columns + held * kWarp - 1) / (held * kWarp);
    return static_cast<unsigned>(std::clamp<int64_t>(warps, 1, kMostWarps)) * kWarp;
}

unsigned tiles_for(int64_t columns, int64_t held) {
    const int64_t tile = held * threads_for(columns, held);
    return static_cast<unsigned>((columns + tile - 1) / tile);
}

// Whether packs of 16 bytes are aligned in every row of every one of these tensors.
template <typename T, typename... Pointers>
bool fits_packs(int64_t columns, Pointers... tensors) {
    constexpr uintptr_t kBytes = 16;
    return columns * sizeof(T) % kBytes == 0 && ((reinterpret_cast<uintptr_t>(tensors) % kBytes == 0) && ...);
}

}  // namespace

template <typename T>
void launch_layer_norm(const T* x, const T* weight, const T* bias, T* out, T* mean, T* rstd, int64_t rows,
                       int64_t columns, double eps, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    constexpr int64_t kHeld = kHeldBytes / sizeof(T);
    const dim3 grid(static_cast<unsigned>(rows), tiles_for(columns, kHeld));
    const unsigned threads = threads_for(columns, kHeld), width = static_cast<unsigned>(columns);
    if (fits_packs<T>(columns, x, weight, bias, out)) {
        layer_norm_kernel<T, 16 / sizeof(T)>
            <<<grid, threads, 0, stream>>>(x, weight, bias, out, mean, rstd, width, static_cast<T>(eps));
    } else {
        layer_norm_kernel<T, 1>
            <<<grid, threads, 0, stream>>>(x, weight, bias, out, mean, rstd, width, static_cast<T>(eps));
    }
}

// The number of rows of partial sums: enough blocks for a large GPU, at least 8 rows for each.
int64_t parts_for(int64_t rows, int64_t columns) {
    constexpr int64_t kThreads = 1 << 16;  // together: about as many as such a GPU holds of this kernel
    return std::clamp<int64_t>(rows / 8, 1, kThreads / threads_for(columns, kHeldBytes / 4));
}

template <typename T>
void launch_layer_norm_backward(const T* grad_out, const T* x, const T* weight, const T* mean,
                                const T* rstd, T* grad_x, T* weight_parts, T* bias_parts, int64_t parts,
                                int64_t rows, int64_t columns, cudaStream_t stream) {
    if (columns == 0) return;
    constexpr int64_t kHeld = kHeldBytes / sizeof(T);
    const dim3 grid(static_cast<unsigned>(parts), tiles_for(columns, kHeld));
    const unsigned threads = threads_for(columns, kHeld), width = static_cast<unsigned>(columns);
    if (fits_packs<T>(columns, grad_out, x, weight, grad_x, weight_parts, bias_parts)) {
        layer_norm_backward_kernel<T, 16 / sizeof(T)><<<grid, threads, 0, stream>>>(
            grad_out, x, weight, mean, rstd, grad_x, weight_parts, bias_parts, rows, width);
    } else {
        layer_norm_backward_kernel<T, 1><<<grid, threads, 0, stream>>>(
            grad_out, x, weight, mean, rstd, grad_x, weight_parts, bias_parts, rows, width);
    }
}

template <typename T>
void launch_column_sums(const T* x, T* sums, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (columns == 0) return;
    const auto strips = static_cast<unsigned>((columns + kWarp - 1) / kWarp);
    column_sums_kernel<T><<<strips, dim3(kWarp, kWarp), 0, stream>>>(x, sums, rows, columns);
}

#define INSTANTIATE(T)                                                                                 \
    template void launch_layer_norm<T>(const T*, const T*, const T*, T*, T*, T*, int64_t, int64_t,      \
                                       double, cudaStream_t);                                          \
    template void launch_layer_norm_backward<T>(const T*, const T*, const T*, const T*, const T*, T*, \
                                                T*, T*, int64_t, int64_t, int64_t, cudaStream_t);      \
    template void launch_column_sums<T>(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
