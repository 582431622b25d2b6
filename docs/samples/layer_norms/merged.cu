// Layer norm, step 3: the row is in registers. Each thread computes the moments of its own values, and
// shuffles merge them: one barrier for a row, but a division in each of ten rounds.
// Stands in for kernel.cu of exercise 17.
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
__device__ int64_t column_of(unsigned tile, int pack) {
    const unsigned packs_before = (tile * kPacks<T, kWidth> + pack) * blockDim.x + threadIdx.x;
    return static_cast<int64_t>(packs_before) * kWidth;
}

// This thread's values of tile `tile` of a row of `columns`, with zeros past its end.
template <typename T, int kWidth>
__device__ void load(Held<T, kWidth>& held, const T* __restrict__ row, unsigned tile, int64_t columns) {
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        const int64_t column = column_of<T, kWidth>(tile, pack);
        held[pack] = column < columns ? *reinterpret_cast<const Pack<T, kWidth>*>(row + column)
                                      : Pack<T, kWidth>{};
    }
}

template <typename T, int kWidth>
__device__ void store(const Held<T, kWidth>& held, T* __restrict__ row, unsigned tile, int64_t columns) {
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        const int64_t column = column_of<T, kWidth>(tile, pack);
        if (column < columns) *reinterpret_cast<Pack<T, kWidth>*>(row + column) = held[pack];
    }
}

// A group of numbers: how many they are, their mean, and the sum of their squared distances from it.
template <typename T>
struct Moments {
    T count, mean, m2;
};

// The moments of two groups together. A group may be empty: {0, 0, 0}.
template <typename T>
__device__ Moments<T> merge(Moments<T> a, Moments<T> b) {
    const T count = a.count + b.count;
    if (count == 0) return a;  // 0/0 below
    const T share = b.count / count;
    const T delta = b.mean - a.mean;
    return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};
}

// The moments of the values that this thread holds of a tile.
template <typename T, int kWidth>
__device__ Moments<T> moments_of(const Held<T, kWidth>& held, unsigned tile, int64_t columns) {
    const T shift = held[0].value[0];  // close to the mean, so what is left of the values is small
    T count = 0, sum = 0, m2 = 0;
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        if (column_of<T, kWidth>(tile, pack) >= columns) break;
        count += kWidth;
        for (int i = 0; i < kWidth; ++i) sum += held[pack].value[i] - shift;
    }
    const T mean = count > 0 ? shift + sum / count : T(0);
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        if (column_of<T, kWidth>(tile, pack) >= columns) break;
        for (int i = 0; i < kWidth; ++i) {
            const T distance = held[pack].value[i] - mean;
            m2 += distance * distance;
        }
    }
    return {count, mean, m2};
}

// The moments of all groups of a warp, in its lane 0. Every lane must call it.
template <typename T>
__device__ Moments<T> warp_moments(Moments<T> group) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        group = merge(group, {__shfl_down_sync(kEveryLane, group.count, distance),
                              __shfl_down_sync(kEveryLane, group.mean, distance),
                              __shfl_down_sync(kEveryLane, group.m2, distance)});
    }
    return group;
}

// The moments of all groups of a block, the same in every thread. Every thread must call it, once.
template <typename T>
__device__ Moments<T> block_moments(Moments<T> group) {
    __shared__ Moments<T> of_warp[kMostWarps];
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    group = warp_moments(group);
    if (lane == 0) of_warp[warp] = group;
    __syncthreads();  // every warp has written its moments
    // Each warp merges all of them: one warp alone would need a second barrier to pass on the result.
    group = warp_moments(lane < warps ? of_warp[lane] : Moments<T>{});
    return {__shfl_sync(kEveryLane, group.count, 0), __shfl_sync(kEveryLane, group.mean, 0),
            __shfl_sync(kEveryLane, group.m2, 0)};
}

// x, out: rows x columns, row-major and dense. weight, bias: columns. mean, rstd: rows. Block
// (row, tile) writes one tile of out; each block of a row reads the whole row for its moments.
template <typename T, int kWidth>
__global__ void layer_norm_kernel(const T* __restrict__ x, const T* __restrict__ weight,
                                  const T* __restrict__ bias, T* __restrict__ out,
                                  T* __restrict__ mean, T* __restrict__ rstd, int64_t columns, T eps) {
    const int64_t row = blockIdx.x;
    Held<T, kWidth> held, factor, offset;
    Moments<T> moments = {};
    // All tiles, this block's own at the end, so that its values are the ones left in registers.
    unsigned tile = blockIdx.y;
    for (unsigned step = 0; step < gridDim.y; ++step) {
        tile = tile + 1 < gridDim.y ? tile + 1 : 0;
        load<T, kWidth>(held, x + row * columns, tile, columns);
        moments = merge(moments, moments_of<T, kWidth>(held, tile, columns));
    }
    moments = block_moments(moments);
    const T scale = T(1) / sqrt(moments.m2 / moments.count + eps);
    load<T, kWidth>(factor, weight, tile, columns);
    load<T, kWidth>(offset, bias, tile, columns);
#pragma unroll
    for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
        for (int i = 0; i < kWidth; ++i) {
            const T normalised = (held[pack].value[i] - moments.mean) * scale;
            held[pack].value[i] = normalised * factor[pack].value[i] + offset[pack].value[i];
        }
    }
    store<T, kWidth>(held, out + row * columns, tile, columns);
    if (threadIdx.x == 0 && tile == 0) {
        mean[row] = moments.mean;
        rstd[row] = scale;
    }
}

// The two sums over a row that backward needs: of g, the gradient of the normalised values, and of g
// times those values.
template <typename T>
struct Sums {
    T g, g_normalised;
};

// Both sums over a warp, the same in every lane, as in exercise 16.
template <typename T>
__device__ Sums<T> warp_sums(Sums<T> sums) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        sums.g += __shfl_xor_sync(kEveryLane, sums.g, distance);
        sums.g_normalised += __shfl_xor_sync(kEveryLane, sums.g_normalised, distance);
    }
    return sums;
}

// Both sums over a block, the same in every thread. Every thread must call it, once for each row.
template <typename T>
__device__ Sums<T> block_sums(Sums<T> sums) {
    __shared__ Sums<T> of_warp[kMostWarps];
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    sums = warp_sums(sums);
    __syncthreads();  // every warp has read what the row before left in of_warp
    if (lane == 0) of_warp[warp] = sums;
    __syncthreads();  // every warp has written its sums of this row
    return warp_sums(lane < warps ? of_warp[lane] : Sums<T>{});
}

// grad_x: rows x columns. weight_parts, bias_parts: gridDim.x x columns, row b with the sums over the
// rows that the blocks (b, tile) take. A null pointer: not requested.
template <typename T, int kWidth>
__global__ void __launch_bounds__(kMostWarps* kWarp)
    layer_norm_backward_kernel(const T* __restrict__ grad_out, const T* __restrict__ x,
                               const T* __restrict__ weight, const T* __restrict__ mean,
                               const T* __restrict__ rstd, T* __restrict__ grad_x,
                               T* __restrict__ weight_parts, T* __restrict__ bias_parts, int64_t rows,
                               int64_t columns) {
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
#pragma unroll
            for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
                for (int i = 0; i < kWidth; ++i) {
                    T& value = normalised[pack].value[i];
                    value = (value - center) * scale;
                    const T g = grad[pack].value[i] * factor[pack].value[i];
                    sums.g += g;
                    sums.g_normalised += g * value;
                }
            }
        }
        sums = block_sums(sums);
        const T mean_g = sums.g / columns, mean_g_normalised = sums.g_normalised / columns;
#pragma unroll
        for (int pack = 0; pack < kPacks<T, kWidth>; ++pack) {
            for (int i = 0; i < kWidth; ++i) {
                const T value = normalised[pack].value[i];
                T& g = grad[pack].value[i];
                of_bias[pack].value[i] += g;
                of_weight[pack].value[i] += g * value;
                g = scale * (g * factor[pack].value[i] - mean_g - value * mean_g_normalised);
            }
        }
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
    const unsigned threads = threads_for(columns, kHeld);
    if (fits_packs<T>(columns, x, weight, bias, out)) {
        layer_norm_kernel<T, 16 / sizeof(T)>
            <<<grid, threads, 0, stream>>>(x, weight, bias, out, mean, rstd, columns, static_cast<T>(eps));
    } else {
        layer_norm_kernel<T, 1>
            <<<grid, threads, 0, stream>>>(x, weight, bias, out, mean, rstd, columns, static_cast<T>(eps));
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
    const unsigned threads = threads_for(columns, kHeld);
    if (fits_packs<T>(columns, grad_out, x, weight, grad_x, weight_parts, bias_parts)) {
        layer_norm_backward_kernel<T, 16 / sizeof(T)><<<grid, threads, 0, stream>>>(
            grad_out, x, weight, mean, rstd, grad_x, weight_parts, bias_parts, rows, columns);
    } else {
        layer_norm_backward_kernel<T, 1><<<grid, threads, 0, stream>>>(
            grad_out, x, weight, mean, rstd, grad_x, weight_parts, bias_parts, rows, columns);
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
