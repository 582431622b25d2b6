// The softmax of every row of a matrix, and its gradient. A row that fits into the registers of one
// block is read once, a longer one twice.
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>

namespace {

constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;  // that a block may have
constexpr int kLongThreads = 512;   // of a block whose row does not fit
constexpr int kShortThreads = 256;  // of a block that has several rows
constexpr unsigned kEveryLane = 0xffffffffu;

// The elements of a row that one thread holds at a time: 64 bytes, or 16 registers of 4 bytes.
template <typename T>
constexpr int kHeld = 64 / static_cast<int>(sizeof(T));
template <typename T>
constexpr T kLowest = std::numeric_limits<T>::lowest();  // the least finite number

// Of some elements: their maximum, and the sum of exp(element - max).
template <typename T>
struct MaxSum {
    T max, sum;
};

// Of no elements at all. The maximum is finite, because exp(-inf - -inf) is NaN.
template <typename T>
__device__ MaxSum<T> nothing() {
    return {kLowest<T>, T(0)};
}

// Of the elements of a and those of b together.
template <typename T>
__device__ MaxSum<T> merge(MaxSum<T> a, MaxSum<T> b) {
    // TODO(merge): the larger maximum, and both sums as they would be with that maximum, added up,
    //   about 3 lines.
    return a;
}

// Backward merges plain sums.
template <typename T>
__device__ T merge(T a, T b) {
    return a + b;
}

// The value that the lane `lane ^ distance` holds. Every lane of the warp must call it.
template <typename T>
__device__ T partner(T value, int distance) {
    return __shfl_xor_sync(kEveryLane, value, distance);
}

template <typename T>
__device__ MaxSum<T> partner(MaxSum<T> pair, int distance) {
    // TODO(partner): both members of the pair from the lane at that distance, about 1 line.
    return pair;
}

// The values of `lanes` neighbouring lanes merged, in every one of them; a power of two, so a warp is made
// of such groups. Every lane of the warp must call it.
template <typename V>
__device__ V warp_merge(V value, int lanes = kWarp) {
    // TODO(warp_merge): rounds at distances from lanes / 2 down to 1, each merging the value with the
    //   partner's, about 4 lines.
    return value;
}

// The values of all threads of a row merged, in every one of them. blockDim.x threads have the row: some
// lanes of a warp, or a whole block. `nothing` changes no value that it is merged with. Every thread of
// the block must call it, and only once in a kernel.
template <typename V>
__device__ V row_merge(V value, V nothing) {
    __shared__ V of_warp[kMostThreads / kWarp];
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    if (warps <= 1) return warp_merge(value, static_cast<int>(blockDim.x));
    // TODO(row_merge): put every warp's value into of_warp, then let every warp merge those, about 6
    //   lines.
    return value;
}

// Width elements that one instruction loads or stores.
template <typename T, int Width>
struct alignas(sizeof(T) * Width) Pack {
    T at[Width];
};

// What the threads of a row hold together: the next kHeld<T> * blockDim.x elements from `from` on, of
// which the row has `left`. Thread t has packs t, t + blockDim.x, t + 2 * blockDim.x... of them, and
// `filler` beyond the end of the row. No load depends on another, so all are in flight together.
template <int Width, typename T>
__device__ void load(T (&held)[kHeld<T>], const T* __restrict__ from, int64_t left, T filler) {
    const int end = static_cast<int>(min(left, static_cast<int64_t>(blockDim.x) * kHeld<T>));
#pragma unroll
    for (int i = 0; i < kHeld<T>; i += Width) {
        const int place = static_cast<int>(i / Width * blockDim.x + threadIdx.x) * Width;
        Pack<T, Width> pack;
        if (place < end) {
            pack = *reinterpret_cast<const Pack<T, Width>*>(from + place);
        } else {
#pragma unroll
            for (T& each : pack.at) each = filler;
        }
#pragma unroll
        for (int k = 0; k < Width; ++k) held[i + k] = pack.at[k];
    }
}

// The way back: nothing is written beyond the end of the row.
template <int Width, typename T>
__device__ void store(const T (&held)[kHeld<T>], T* __restrict__ to, int64_t left) {
    const int end = static_cast<int>(min(left, static_cast<int64_t>(blockDim.x) * kHeld<T>));
#pragma unroll
    for (int i = 0; i < kHeld<T>; i += Width) {
        const int place = static_cast<int>(i / Width * blockDim.x + threadIdx.x) * Width;
        Pack<T, Width> pack;
#pragma unroll
        for (int k = 0; k < Width; ++k) pack.at[k] = held[i + k];
        if (place < end) *reinterpret_cast<Pack<T, Width>*>(to + place) = pack;
    }
}

// Turns the elements that a thread holds into exp(element - max), where max is the largest of just these
// elements, and returns that maximum and the sum.
template <typename T>
__device__ MaxSum<T> exponentials(T (&held)[kHeld<T>]) {
    MaxSum<T> mine = nothing<T>();
    // TODO(exponentials): the maximum of held; then replace each element by its exponential and add
    //   these up, about 7 lines.
    return mine;
}

// x, out: rows x columns, dense. blockDim.x threads hold a row; blockDim.y rows share a block. A row that
// does not exist has no elements; its lanes stay, because shuffles need the whole warp.
template <typename T, int Width>
__global__ void __launch_bounds__(kMostThreads)
    softmax_on_chip(const T* __restrict__ x, T* __restrict__ out, int64_t rows, int64_t columns) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    const int64_t left = row < rows ? columns : 0;
    T held[kHeld<T>];
    load<Width>(held, x + row * columns, left, T(-INFINITY));
    // TODO(on_chip): the pair of this thread, the pair of the row, and held turned into results, about
    //   5 lines.
    store<Width>(held, out + row * columns, left);
}

// x, out: gridDim.x rows of `columns` elements, dense. A block has a row, and goes through it in pieces,
// twice.
template <typename T, int Width>
__global__ void __launch_bounds__(kLongThreads)
    softmax_long(const T* __restrict__ x, T* __restrict__ out, int64_t columns) {
    const int64_t start = static_cast<int64_t>(blockIdx.x) * columns;
    const int64_t piece = static_cast<int64_t>(blockDim.x) * kHeld<T>;
    T held[kHeld<T>];
    // TODO(long_row): go through the row once for the pair of the row, and once more to write the
    //   results, about 13 lines.
}

// The gradient of x, from that of y = softmax(x) and from y. Laid out as softmax_on_chip.
template <typename T, int Width>
__global__ void __launch_bounds__(kMostThreads)
    backward_on_chip(const T* __restrict__ grad_y, const T* __restrict__ y, T* __restrict__ grad_x,
                     int64_t rows, int64_t columns) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    const int64_t left = row < rows ? columns : 0;
    T held[kHeld<T>], grad[kHeld<T>];
    load<Width>(held, y + row * columns, left, T(0));
    load<Width>(grad, grad_y + row * columns, left, T(0));
    // TODO(backward_on_chip): the sum of grad * y over the row, then grad turned into the gradient of
    //   x, about 6 lines.
    store<Width>(grad, grad_x + row * columns, left);
}

// The same for rows that do not fit. Laid out as softmax_long.
template <typename T, int Width>
__global__ void __launch_bounds__(kLongThreads)
    backward_long(const T* __restrict__ grad_y, const T* __restrict__ y, T* __restrict__ grad_x,
                  int64_t columns) {
    const int64_t start = static_cast<int64_t>(blockIdx.x) * columns;
    const int64_t piece = static_cast<int64_t>(blockDim.x) * kHeld<T>;
    T held[kHeld<T>], grad[kHeld<T>];
    // TODO(backward_long): the same in two passes over pieces of the row, about 15 lines.
}

// Whether a row fits into the registers of a block.
template <typename T>
bool fits(int64_t columns) {
    return columns <= static_cast<int64_t>(kMostThreads) * kHeld<T>;
}

// As few threads as can hold a row: whole warps, or a power of two of lanes. Rows that need no more than a
// warp share a block.
template <typename T>
dim3 threads_for(int64_t columns) {
    const auto needed = static_cast<unsigned>((columns + kHeld<T> - 1) / kHeld<T>);
    if (needed > kWarp) return dim3((needed + kWarp - 1) / kWarp * kWarp);
    unsigned lanes = 1;
    while (lanes < needed) lanes *= 2;
    return dim3(lanes, kShortThreads / lanes);
}

unsigned blocks_for(int64_t rows, dim3 threads) {
    return static_cast<unsigned>((rows + threads.y - 1) / threads.y);
}

// A pack of 16 bytes must be at an address that is a multiple of 16, in every row.
template <typename T>
bool packs_fit(int64_t columns, const T* one, const T* other) {
    const auto addresses = reinterpret_cast<uintptr_t>(one) | reinterpret_cast<uintptr_t>(other);
    return addresses % 16 == 0 && columns * sizeof(T) % 16 == 0;
}

template <int Width, typename T>
void launch_forward(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (fits<T>(columns)) {
        const dim3 threads = threads_for<T>(columns);
        softmax_on_chip<T, Width>
            <<<blocks_for(rows, threads), threads, 0, stream>>>(x, out, rows, columns);
    } else {
        softmax_long<T, Width>
            <<<static_cast<unsigned>(rows), kLongThreads, 0, stream>>>(x, out, columns);
    }
}

template <int Width, typename T>
void launch_backward(const T* grad_y, const T* y, T* grad_x, int64_t rows, int64_t columns,
                     cudaStream_t stream) {
    if (fits<T>(columns)) {
        const dim3 threads = threads_for<T>(columns);
        backward_on_chip<T, Width>
            <<<blocks_for(rows, threads), threads, 0, stream>>>(grad_y, y, grad_x, rows, columns);
    } else {
        backward_long<T, Width>
            <<<static_cast<unsigned>(rows), kLongThreads, 0, stream>>>(grad_y, y, grad_x, columns);
    }
}

}  // namespace

template <typename T>
void launch_softmax(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    if (packs_fit(columns, x, out)) {
        launch_forward<16 / sizeof(T)>(x, out, rows, columns, stream);
    } else {
        launch_forward<1>(x, out, rows, columns, stream);
    }
}

template <typename T>
void launch_softmax_backward(const T* grad_y, const T* y, T* grad_x, int64_t rows, int64_t columns,
                             cudaStream_t stream) {
    if (rows == 0 || columns == 0) return;
    if (packs_fit(columns, grad_y, y)) {  // grad_x is new memory, and so aligned
        launch_backward<16 / sizeof(T)>(grad_y, y, grad_x, rows, columns, stream);
    } else {
        launch_backward<1>(grad_y, y, grad_x, rows, columns, stream);
    }
}

template void launch_softmax<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_softmax<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
template void launch_softmax_backward<float>(const float*, const float*, float*, int64_t, int64_t,
                                             cudaStream_t);
template void launch_softmax_backward<double>(const double*, const double*, double*, int64_t, int64_t,
                                              cudaStream_t);
