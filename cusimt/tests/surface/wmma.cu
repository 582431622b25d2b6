// Products of small matrices by a warp, in all shapes, types and layouts.
#include <mma.h>

using namespace nvcuda;

template <class Layout>
struct order {
    static constexpr wmma::layout_t value = wmma::mem_row_major;
};
template <>
struct order<wmma::col_major> {
    static constexpr wmma::layout_t value = wmma::mem_col_major;
};

// d = a * b + c for one tile; the rows (or columns) of each matrix lie 8 elements further apart than they need to.
template <int M, int N, int K, class T, class Stored, class Sum, class A, class B, class D>
__global__ void tile_kernel(const Stored* a, const Stored* b, const Sum* c, Sum* d) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> left;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    constexpr bool a_rows = std::is_same_v<A, wmma::row_major>, b_rows = std::is_same_v<B, wmma::row_major>;
    constexpr bool d_rows = std::is_same_v<D, wmma::row_major>;
    wmma::load_matrix_sync(left, a, (a_rows ? K : M) + 16);
    wmma::load_matrix_sync(right, b, (b_rows ? N : K) + 16);
    wmma::load_matrix_sync(sum, c, (d_rows ? N : M) + 16, order<D>::value);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(d, sum, (d_rows ? N : M) + 16, order<D>::value);
}
template <int M, int N, int K, class T, class Stored, class Sum>
void tile(const void* a, const void* b, const void* c, void* d, int layouts) {
    using R = wmma::row_major;
    using C = wmma::col_major;
    auto run = [&](auto kernel) { kernel<<<1, 32>>>((const Stored*)a, (const Stored*)b, (const Sum*)c, (Sum*)d); };
    if (layouts == 0) run(tile_kernel<M, N, K, T, Stored, Sum, R, R, R>);
    if (layouts == 1) run(tile_kernel<M, N, K, T, Stored, Sum, C, R, R>);
    if (layouts == 2) run(tile_kernel<M, N, K, T, Stored, Sum, R, C, C>);
    if (layouts == 3) run(tile_kernel<M, N, K, T, Stored, Sum, C, C, C>);
}
template <class T, class Sum>
void tile_of(const void* a, const void* b, const void* c, void* d, int layouts, int m) {
    if (m == 16) tile<16, 16, 16, T, T, Sum>(a, b, c, d, layouts);
    if (m == 32) tile<32, 8, 16, T, T, Sum>(a, b, c, d, layouts);
    if (m == 8) tile<8, 32, 16, T, T, Sum>(a, b, c, d, layouts);
}
extern "C" void half_float(const void* a, const void* b, const void* c, void* d, int l, int m) { tile_of<__half, float>(a, b, c, d, l, m); }
extern "C" void half_half(const void* a, const void* b, const void* c, void* d, int l, int m) { tile_of<__half, __half>(a, b, c, d, l, m); }
extern "C" void bfloat16(const void* a, const void* b, const void* c, void* d, int l, int m) { tile_of<__nv_bfloat16, float>(a, b, c, d, l, m); }
extern "C" void int8(const void* a, const void* b, const void* c, void* d, int l, int m) { tile_of<signed char, int>(a, b, c, d, l, m); }
extern "C" void uint8(const void* a, const void* b, const void* c, void* d, int l, int m) { tile_of<unsigned char, int>(a, b, c, d, l, m); }
extern "C" void tf32(const void* a, const void* b, const void* c, void* d, int l, int) {
    tile<16, 16, 8, wmma::precision::tf32, float, float>(a, b, c, d, l);
}
extern "C" void doubles(const void* a, const void* b, const void* c, void* d, int l, int) { tile<8, 8, 4, double, double, double>(a, b, c, d, l); }

// A whole product: a warp for each tile, four warps in a block, factors staged in shared memory.
__global__ void matmul_kernel(const half* a, const half* b, float* c, int n) {
    __shared__ alignas(32) half left[4][16 * 16];
    __shared__ alignas(32) half right[4][16 * 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.y * 2 + warp / 2, column = blockIdx.x * 2 + warp % 2;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = lane; i < 256; i += 32) {
            left[warp][i] = a[(row * 16 + i / 16) * n + k + i % 16];
            right[warp][i] = b[(k + i / 16) * n + column * 16 + i % 16];
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left_part;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right_part;
        wmma::load_matrix_sync(left_part, left[warp], 16);
        wmma::load_matrix_sync(right_part, right[warp], 16);
        wmma::mma_sync(sum, left_part, right_part, sum);
        __syncwarp();
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] * 2.0f + 1.0f;
    wmma::store_matrix_sync(c + row * 16 * n + column * 16, sum, n, wmma::mem_row_major);
}
extern "C" void matmul(const half* a, const half* b, float* c, int n) { matmul_kernel<<<dim3(n / 32, n / 32), 128>>>(a, b, c, n); }

// How many elements a lane holds, and which of a small product saturate.
__global__ void facts_kernel(int* out) {
    out[0] = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>::num_elements;
    out[1] = wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::col_major>::num_elements;
    out[2] = wmma::fragment<wmma::accumulator, 16, 16, 16, float>::num_elements;
    out[3] = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>::num_elements;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> most, wraps, stays;
    wmma::fill_fragment(a, 127);
    wmma::fill_fragment(b, 127);
    wmma::fill_fragment(most, 2147483647 - 100);
    wmma::mma_sync(wraps, a, b, most);
    wmma::mma_sync(stays, a, b, most, true);
    out[4] = wraps.x[0];
    out[5] = stays.x[0];
    out[6] = __float_as_int(wmma::__float_to_tf32(__int_as_float(0x3f801000)));
    out[7] = __float_as_int(wmma::__float_to_tf32(__int_as_float(0x3f800fff)));
}
extern "C" void facts(int* out) { facts_kernel<<<1, 32>>>(out); }
