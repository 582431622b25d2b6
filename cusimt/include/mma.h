// nvcuda::wmma: products of small matrices by a whole warp. All 32 lanes must execute every operation.
#pragma once
#include "cuda_runtime.h"
#include "simt/wmma/fragment.h"
#ifdef __CUDACC__
#include "simt/wmma/multiply.h"

namespace simt {
namespace wmma {

// Lanes that stand in different operations never meet, and a lane that has returned is missed here.
SIMT_INLINE const simt_warp_values* meet(const void* mine, warp_operation operation, const char* file, int line,
                                         uint64_t beside = 0) {
    const simt_warp_values* all = simt_warp_collect(0xffffffff, reinterpret_cast<uint64_t>(mine), beside, operation);
    if (participants(all) != 0xffffffff) simt_trap("a wmma operation needs all 32 lanes of the warp", file, line);
    return all;
}

// Of elements of 16 and 32 bits, CUDA asks for an address that is a multiple of 32 bytes, and for rows (or columns) each of
// which begins a multiple of 16 bytes after the one before.
template <class T>
SIMT_INLINE void check_place(const T* matrix, unsigned stride, const char* file, int line) {
    if (sizeof(T) != 2 && sizeof(T) != 4) return;
    if (reinterpret_cast<uintptr_t>(matrix) % 32) simt_trap("wmma needs an address that is a multiple of 32 bytes", file, line);
    if (stride * sizeof(T) % 16) simt_trap("wmma needs a leading dimension that is a multiple of 16 bytes", file, line);
}

template <class T, int Run>
struct __attribute__((aligned(Run * sizeof(T)), may_alias)) neighbours {  // moved with one access, as on a GPU
    T element[Run];
};

// `down`, `right`: from one row, and from one column, to the next; one of them is 1.
template <class Shape, class T>
SIMT_INLINE void load(T* held, const T* from, unsigned down, unsigned right) {
    constexpr int run = Shape::run;
    for (int first = 0; first < Shape::count; first += run) {
        place at = Shape::of(simt_lane(), first);
        const T* source = from + static_cast<size_t>(at.row) * down + static_cast<size_t>(at.column) * right;
        if (right == 1) {
            auto together = *reinterpret_cast<const neighbours<T, run>*>(source);
            for (int i = 0; i < run; ++i) held[first + i] = together.element[i];
        } else {
            for (int i = 0; i < run; ++i) held[first + i] = source[static_cast<size_t>(i) * right];
        }
    }
    for (int i = Shape::count; i < Shape::elements; ++i) held[i] = held[i % Shape::count];
}
template <class Shape, class T>
SIMT_INLINE void store(const T* held, T* to, unsigned down, unsigned right) {
    constexpr int run = Shape::run;
    for (int first = 0; first < Shape::count; first += run) {
        place at = Shape::of(simt_lane(), first);
        T* target = to + static_cast<size_t>(at.row) * down + static_cast<size_t>(at.column) * right;
        if (right == 1) {
            neighbours<T, run> together;
            for (int i = 0; i < run; ++i) together.element[i] = held[first + i];
            *reinterpret_cast<neighbours<T, run>*>(target) = together;
        } else {
            for (int i = 0; i < run; ++i) target[static_cast<size_t>(i) * right] = held[first + i];
        }
    }
}

}  // namespace wmma
}  // namespace simt

namespace nvcuda {
namespace wmma {

// A float as the nearest tf32, ties away from zero.
SIMT_INLINE float __float_to_tf32(float value) {
    unsigned bits = __float_as_uint(value);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
    return __uint_as_float(bits & ~0x1fffu);
}

template <class Use, int Rows, int Columns, int Depth, class T, class Layout>
SIMT_INLINE void fill_fragment(fragment<Use, Rows, Columns, Depth, T, Layout>& held,
                               const typename simt::wmma::stored<T>::type& value) {
    for (int i = 0; i < held.num_elements; ++i) held.x[i] = value;
}

// `stride`: elements from one row (row_major) or column to the next.
template <class Use, int Rows, int Columns, int Depth, class T, class Layout>
SIMT_INLINE void load_matrix_sync(fragment<Use, Rows, Columns, Depth, T, Layout>& held,
                                  const typename simt::wmma::stored<T>::type* from, unsigned stride,
                                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    constexpr bool by_rows = simt::wmma::is_same<Layout, row_major>::value;
    static_assert(by_rows || simt::wmma::is_same<Layout, col_major>::value, "a factor is row_major or col_major");
    constexpr bool lies_as_held = by_rows == simt::wmma::is_same<Use, matrix_a>::value;
    simt::wmma::check_place(from, stride, file, line);
    simt::wmma::meet(nullptr, simt::matrix_load, file, line);
    using Shape = typename fragment<Use, Rows, Columns, Depth, T, Layout>::simt_shape;
    simt::wmma::load<Shape>(held.x, from, lies_as_held ? stride : 1, lies_as_held ? 1 : stride);
}
template <int Rows, int Columns, int Depth, class T>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, Rows, Columns, Depth, T>& held, const T* from, unsigned stride,
                                  layout_t layout, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    simt::wmma::check_place(from, stride, file, line);
    simt::wmma::meet(nullptr, simt::matrix_load, file, line);
    using Shape = typename fragment<accumulator, Rows, Columns, Depth, T>::simt_shape;
    simt::wmma::load<Shape>(held.x, from, layout == mem_row_major ? stride : 1, layout == mem_row_major ? 1 : stride);
}
template <int Rows, int Columns, int Depth, class T>
SIMT_INLINE void store_matrix_sync(T* to, const fragment<accumulator, Rows, Columns, Depth, T>& held, unsigned stride,
                                   layout_t layout, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    simt::wmma::check_place(to, stride, file, line);
    simt::wmma::meet(nullptr, simt::matrix_store, file, line);
    using Shape = typename fragment<accumulator, Rows, Columns, Depth, T>::simt_shape;
    simt::wmma::store<Shape>(held.x, to, layout == mem_row_major ? stride : 1, layout == mem_row_major ? 1 : stride);
}

// d = a * b + c; of integers: `saturate` instead of wrapping around.
template <int Rows, int Columns, int Depth, class Result, class T, class LayoutA, class LayoutB, class Addend>
SIMT_INLINE void mma_sync(fragment<accumulator, Rows, Columns, Depth, Result>& d,
                          const fragment<matrix_a, Rows, Columns, Depth, T, LayoutA>& a,
                          const fragment<matrix_b, Rows, Columns, Depth, T, LayoutB>& b,
                          const fragment<accumulator, Rows, Columns, Depth, Addend>& c, bool saturate = false,
                          const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    const simt::wmma::operands mine = {a.x, b.x, c.x, d.x};
    const simt_warp_values* all = simt::wmma::meet(&mine, simt::matrix_multiply, file, line);
    if (simt_lane() == 0)
        simt::wmma::multiply<
            fragment<accumulator, Rows, Columns, Depth, Result>, fragment<matrix_a, Rows, Columns, Depth, T, LayoutA>,
            fragment<matrix_b, Rows, Columns, Depth, T, LayoutB>, fragment<accumulator, Rows, Columns, Depth, Addend>>(
            all, saturate);
    simt::wmma::meet(nullptr, simt::matrix_multiplied, file, line);
}

}  // namespace wmma
}  // namespace nvcuda
#endif
