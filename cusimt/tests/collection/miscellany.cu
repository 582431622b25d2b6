// What else people compute, and how else they write it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include "checks.h"

using u32 = std::uint32_t;
using u64 = unsigned long long;

/* ---- mandelbrot: uchar4 pixels, a struct for complex numbers with operators ------------------------------------------------- */
struct cuComplexLike {
    float r;
    float i;
    __device__ cuComplexLike(float a, float b) : r(a), i(b) {}
    __device__ float magnitude2(void) { return r * r + i * i; }
    __device__ cuComplexLike operator*(const cuComplexLike& a) { return cuComplexLike(r*a.r - i*a.i, i*a.r + r*a.i); }
    __device__ cuComplexLike operator+(const cuComplexLike& a) { return cuComplexLike(r+a.r, i+a.i); }
};

__device__ int mandel(int x, int y, int dimx, int dimy, int limit) {
    cuComplexLike c(3.0f * x / dimx - 2.0f, 2.0f * y / dimy - 1.0f), a(0, 0);
    int i = 0;
    for (i = 0; i < limit; i++) {
        a = a * a + c;
        if (a.magnitude2() > 4) break;
    }
    return i;
}

__global__ void mandelbrot_kernel(uchar4* ptr, int dimx, int dimy, int limit) {
    // map from threadIdx/BlockIdx to pixel position
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= dimx || y >= dimy) return;
    int offset = x + y * dimx;
    int value = mandel(x, y, dimx, dimy, limit);
    ptr[offset].x = value;
    ptr[offset].y = 255 - value;
    ptr[offset].z = 0;
    ptr[offset].w = value == limit ? 0 : 255;
}
extern "C" void mandelbrot(uchar4* pixels, int width, int height, int limit) {
    dim3 grids((width+15)/16,(height+15)/16);
    dim3 threads(16,16);
    mandelbrot_kernel<<<grids,threads>>>( pixels, width, height, limit );
}

/* ---- the game of life on a torus, generations ping-pong, a tile with wrapped halo ---------------------------------------------- */
template <int TX, int TY>
__global__ void life_kernel(const bool *__restrict__ now, bool *__restrict__ next, int w, int h)
{
    __shared__ bool cell[TY + 2][TX + 2];
    const int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int j = threadIdx.y; j < TY + 2; j += TY)
        for (int i = threadIdx.x; i < TX + 2; i += TX)
            cell[j][i] = now[(y0 + j + h) % h * w + (x0 + i + w) % w];
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= w || y >= h) return;
    int alive = 0;
#pragma unroll
    for (int dy = 0; dy < 3; ++dy)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) alive += cell[threadIdx.y + dy][threadIdx.x + dx];
    const bool me = cell[threadIdx.y + 1][threadIdx.x + 1];
    next[y * w + x] = me ? alive == 3 || alive == 4 : alive == 3;   // alive counts me
}
extern "C" void life(bool *a, bool *b, int w, int h, int generations)
{
    for (int g = 0; g < generations; g++, std::swap(a, b))
        life_kernel<16, 4><<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(a, b, w, h);
}

/* ---- positions of set bits in a bitmap: ballot, popc, ffs, bit reversal -------------------------------------------------------------- */
__global__ void bitmap_positions(const u32 *words, int n, u32 *bits, int *count, u32 *reversed)
{
    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < n; w += gridDim.x * blockDim.x) {
        u32 word = words[w];
        reversed[w] = __brev(word);
        int at = atomicAdd(count, __popc(word));
        while (word) {
            const int bit = __ffs(word) - 1;
            bits[at++] = 32 * w + bit;
            word &= word - 1;
        }
    }
}
extern "C" void set_bits(const u32 *words, int n, u32 *bits, int *count, u32 *reversed)
{
    cudaMemset(count, 0, sizeof(int));
    bitmap_positions<<<2, 32>>>(words, n, bits, count, reversed);
}

/* ---- string search: the pattern in constant memory, matches marked, the first one by atomicMin -------------------------------------------- */
static __constant__ char pattern[64];

__global__ void find_kernel(const char *text, int length, int pattern_length, unsigned char *hit, int *first)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > length - pattern_length) return;
    int j = 0;
    while (j < pattern_length && text[i + j] == pattern[j]) ++j;
    if ((hit[i] = j == pattern_length)) atomicMin(first, i);
}
extern "C" void string_search(const char *text, int length, const char *wanted, int wanted_length, unsigned char *hit, int *first)
{
    void *symbol = nullptr;
    size_t bytes = 0;
    CUDA_CHECK(cudaGetSymbolAddress(&symbol, pattern));
    CUDA_CHECK(cudaGetSymbolSize(&bytes, pattern));
    if ((size_t)wanted_length > bytes) return;
    CUDA_CHECK(cudaMemcpy(symbol, wanted, wanted_length, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemset(hit, 0, length));
    CUDA_CHECK(cudaMemset(first, 0x7f, sizeof(int)));
    find_kernel<<<(length + 63) / 64, 64>>>(text, length, wanted_length, hit, first);
}

/* ---- Monte Carlo pi: xorshift per thread, shared counters, a double at the end ------------------------------------------------------------- */
__host__ __device__ inline u32 xorshift(u32 &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}
__global__ void pi_kernel(u64 *inside, int draws)
{
    __shared__ u64 hits;
    if (!threadIdx.x) hits = 0;
    __syncthreads();
    u32 state = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    u32 mine = 0;
    for (int i = 0; i < draws; ++i) {
        const double x = xorshift(state) * 0x1p-32, y = xorshift(state) * 0x1p-32;
        mine += x * x + y * y < 1.0;
    }
    atomicAdd(&hits, (u64)mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, hits);
}
extern "C" void monte_carlo_pi(u64 *inside, int blocks, int threads, int draws)
{
    cudaMemset(inside, 0, sizeof *inside);
    pi_kernel<<<blocks, threads>>>(inside, draws);
}

/* ---- bloom filter: three hashes, atomicOr; lookups vote --------------------------------------------------------------------------------------- */
template <u32 kSeed>
__device__ __forceinline__ u32 hash(u32 x)
{
    x = (x ^ kSeed) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}
template <u32... kSeeds>
struct Bloom {
    u32 *words;
    u32 bits;
    __device__ void insert(u32 key) const { (atomicOr(words + hash<kSeeds>(key) % bits / 32, 1u << (hash<kSeeds>(key) % bits % 32)), ...); }
    __device__ bool contains(u32 key) const { return ((words[hash<kSeeds>(key) % bits / 32] >> (hash<kSeeds>(key) % bits % 32) & 1u) && ...); }
};
using Filter = Bloom<0x9747b28c, 17, 0xdeadbeef>;

__global__ void bloom_insert(Filter filter, const u32 *keys, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) filter.insert(keys[i]); }
__global__ void bloom_query(const Filter filter, const u32 *keys, int n, bool *found, int *total)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool here = i < n && filter.contains(keys[i]);
    if (i < n) found[i] = here;
    const int hits = __syncthreads_count(here);
    if (threadIdx.x == 0) atomicAdd(total, hits);
}
extern "C" void bloom(u32 *words, int bits, const u32 *keys, int n, const u32 *queries, int m, bool *found, int *total)
{
    cudaMemset(words, 0, (bits + 31) / 32 * 4), cudaMemset(total, 0, 4);
    bloom_insert<<<1, 96>>>(Filter{words, (u32)bits}, keys, n);
    bloom_query<<<(m + 63) / 64, 64>>>({words, (u32)bits}, queries, m, found, total);
}

/* ---- matrix times a vector in constant memory, double and float from one macro -------------------------------------------------------------------- */
#define GEMV_MAX 256
#define DEFINE_GEMV(T)                                                                               \
    __constant__ T constant_x_##T[GEMV_MAX];                                                         \
    __global__ void gemv_##T##_kernel(const T *a, T *y, int rows, int cols) {                        \
        const int row = blockIdx.x * blockDim.y + threadIdx.y;                                       \
        if (row >= rows) return;                                                                     \
        T sum = 0;                                                                                   \
        for (int c = threadIdx.x; c < cols; c += 16) sum += a[row * cols + c] * constant_x_##T[c];   \
        const unsigned half = 0xffffu << (threadIdx.y % 2 * 16);                                     \
        for (int d = 8; d; d >>= 1) sum += __shfl_down_sync(half, sum, d, 16);                       \
        if (threadIdx.x == 0) y[row] = sum;                                                          \
    }                                                                                                \
    extern "C" void gemv_##T(const T *a, const T *x, T *y, int rows, int cols) {                     \
        CUDA_CHECK(cudaMemcpyToSymbol(constant_x_##T, x, cols * sizeof(T), 0, cudaMemcpyDefault));   \
        gemv_##T##_kernel<<<(rows + 3) / 4, dim3(16, 4)>>>(a, y, rows, cols);                        \
    }
DEFINE_GEMV(float)
DEFINE_GEMV(double)

/* ---- one piece of dynamic shared memory, cut into arrays of several types; instances of a template, launched from a template -------------------------- */
template <typename Key, typename Value>
__global__ void __launch_bounds__(256) group_by_kernel(const Key *keys, const Value *values, Value *sums, int *counts, int n, int groups)
{
    extern __shared__ __align__(sizeof(double2)) unsigned char shared_bytes[];
    Value *const s_sums = reinterpret_cast<Value *>(shared_bytes);
    int *const s_counts = reinterpret_cast<int *>(s_sums + groups);
    volatile Key *const s_largest = reinterpret_cast<Key *>(s_counts + groups);
    for (int g = threadIdx.x; g < groups; g += blockDim.x) s_sums[g] = Value(0), s_counts[g] = 0;
    if (threadIdx.x == 0) *s_largest = Key(groups - 1);
    __syncthreads();
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        const Key key = keys[i] > *s_largest ? *s_largest : keys[i];   // the last group takes the rest
        atomicAdd(&s_sums[key], values[i]);
        atomicAdd(&s_counts[key], 1);
    }
    __syncthreads();
    for (int g = threadIdx.x; g < groups; g += blockDim.x) {
        atomicAdd(&sums[g], s_sums[g]);
        atomicAdd(&counts[g], s_counts[g]);
    }
}
template <typename Key, typename Value, typename... Rest>
static void group_by(const Key *keys, const Value *values, Value *sums, int *counts, Rest... rest)
{
    const int groups = std::get<1>(std::make_tuple(rest...));
    const size_t shared = groups * (sizeof(Value) + sizeof(int)) + sizeof(Key);
    cudaMemset(sums, 0, groups * sizeof(Value));
    cudaMemset(counts, 0, groups * sizeof(int));
    group_by_kernel<Key, Value><<<3, 64, shared>>>(keys, values, sums, counts, rest...);
}
extern "C" void group_by_short(const short *keys, const float *values, float *sums, int *counts, int n, int groups) { group_by(keys, values, sums, counts, n, groups); }
extern "C" void group_by_int(const int *keys, const double *values, double *sums, int *counts, int n, int groups) { group_by(keys, values, sums, counts, n, groups); }

/* ---- modern C++: constexpr tables, variadic kernels, folds, CRTP, generic lambdas, structured bindings ---------------------------------------------------- */
template <int N>
struct PowerTable {
    int values[N];
    constexpr PowerTable() : values() { for (int i = 0, p = 1; i < N; ++i, p *= 3) values[i] = p; }
};
__constant__ constexpr PowerTable<10> kPowers{};

template <class Derived>
struct Shape {
    __device__ float twice() const { return 2.f * static_cast<const Derived *>(this)->area(); }
};
struct Square : Shape<Square> {
    float side;
    __device__ explicit Square(float s) : side{s} {}
    __device__ float area() const { return side * side; }
};

template <class F, class... Inputs>
__global__ void map_kernel(int n, float *out, F f, const Inputs *... inputs)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if constexpr (sizeof...(Inputs) == 0) out[i] = f(float(i));
        else out[i] = f(inputs[i]...);
    }
}
struct Sum { template <class... T> __device__ auto operator()(T... x) const { return (x + ... + 0.f); } };

template <std::size_t... I>
__device__ int weighted(const int (&digits)[sizeof...(I)], std::index_sequence<I...>) { return ((digits[I] * kPowers.values[I]) + ...); }

__global__ void ternary_digits(const int *numbers, int *back, int n)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    int digits[10], rest = numbers[i];
    for (auto &digit : digits) digit = rest % 3, rest /= 3;
    back[i] = weighted(digits, std::make_index_sequence<10>{});
}
extern "C" void modern(const float *a, const float *b, const double *c, float *out, const int *numbers, int *back, int n)
{
    map_kernel<<<1, 64>>>(n, out, Sum{}, a, b, c);
    map_kernel<Sum, float><<<2, 32>>>(n, out + n, Sum{}, b);
    map_kernel<<<dim3{2}, dim3{32}>>>(n, out + 2 * n, [] __device__(auto x) { const Square square{x}; return square.twice(); });
    if (auto [blocks, threads] = std::pair{1u, static_cast<unsigned>(std::min(n, 64))}; n > 0)
        ternary_digits<<<blocks, threads>>>(numbers, back, n);
}

/* ---- a host program with two streams, pinned memory, and a launch through the C interface -------------------------------------------------------------------- */
__global__ void saxpy_slice(const float *x, float *y, float a, int first, int past)
{
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < past) y[i] += a * x[i];
}
extern "C" void two_streams(const float *x, float *y, float a, int n)
{
    float *pinned, *dx, *dy;
    CUDA_CHECK(cudaMallocHost(&pinned, 2 * n * sizeof(float)));
    std::copy(x, x + n, pinned), std::copy(y, y + n, pinned + n);
    CUDA_CHECK(cudaMalloc(&dx, n * sizeof *dx));
    CUDA_CHECK(cudaMalloc(&dy, n * sizeof *dy));
    std::vector<cudaStream_t> streams(2);
    for (auto &&stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
    int grid = 0, block = 0;
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, saxpy_slice, 0, 0));
    for (int s = 0; s < 2; ++s) {
        int first = s * (n / 2), past = s ? n : n / 2;
        const size_t bytes = (past - first) * sizeof(float);
        CUDA_CHECK(cudaMemcpyAsync(dx + first, pinned + first, bytes, cudaMemcpyHostToDevice, streams[s]));
        CUDA_CHECK(cudaMemcpyAsync(dy + first, pinned + n + first, bytes, cudaMemcpyHostToDevice, streams[s]));
        void *arguments[] = {&dx, &dy, &a, &first, &past};
        const dim3 blocks(std::max(1, (past - first + block - 1) / block));
        CUDA_CHECK(cudaLaunchKernel((const void *)saxpy_slice, blocks, dim3(block), arguments, 0, streams[s]));
        CUDA_CHECK(cudaMemcpyAsync(pinned + n + first, dy + first, bytes, cudaMemcpyDeviceToHost, streams[s]));
    }
    for (auto stream : streams) CUDA_CHECK(cudaStreamSynchronize(stream));
    std::copy(pinned + n, pinned + 2 * n, y);
    for (auto stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFreeHost(pinned));
    CUDA_CHECK(cudaFree(dx));
    CUDA_CHECK(cudaFree(dy));
}
