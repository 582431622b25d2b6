// ldmatrix and mma.sync: fragments as PTX documents them, products as nvcuda::wmma computes them.
#pragma once
#include "mma.h"
#include "simt/ptx/memory.h"

namespace simt {
namespace ptx {

// A row, or a part of it. Tiles are loaded whole, also the rows past the end of what there was to fill them with: that nobody
// wrote those is no mistake where others were written.
template <class T>
SIMT_HOST inline T unhooked(const char* row) {
    return *reinterpret_cast<const T*>(row);
}
template <class T>
SIMT_INLINE T of_row(const char* row, bool is_spare) {
    if (!is_spare) return *reinterpret_cast<const T*>(row);
    simt_spare_read(row, sizeof(T));
    return unhooked<T>(row);
}

// Matrices of 8 x 8 halves. Lane 8 * i + r names row r of matrix i; each lane gets two neighbours of each matrix, or,
// transposed, two that stand below each other.
template <int Count, bool Transposed>
SIMT_INLINE parts<uint32_t, Count> load_matrices(const char* row, const char* file = __builtin_FILE(),
                                                 int line = __builtin_LINE()) {
    const bool is_blank = simt_this_module.checked && simt_is_blank(row, 16);
    const simt_warp_values* all = wmma::meet(row, matrix_load, file, line, is_blank);
    const unsigned lane = simt_lane(), quad = lane / 4, within = lane % 4;
    bool all_blank = true;
    for (unsigned i = 0; i < 8 * Count; ++i) all_blank = all_blank && brought(all, i).high;
    const char *first[Count], *second[Count];
    bool first_spare[Count], second_spare[Count];
    for (unsigned i = 0; i < Count; ++i) {
        const unsigned low = 8 * i + (Transposed ? 2 * within : quad);
        const words one = brought(all, low), other = brought(all, Transposed ? low + 1 : low);
        first[i] = reinterpret_cast<const char*>(one.low), first_spare[i] = one.high && !all_blank;
        second[i] = reinterpret_cast<const char*>(other.low), second_spare[i] = other.high && !all_blank;
    }
    parts<uint32_t, Count> result;
    for (unsigned i = 0; i < Count; ++i) {
        if (Transposed) {
            uint32_t low = of_row<uint16_t>(first[i] + 2 * quad, first_spare[i]);
            uint32_t high = of_row<uint16_t>(second[i] + 2 * quad, second_spare[i]);
            result.part[i] = low | high << 16;
        } else {
            result.part[i] = of_row<uint32_t>(first[i] + 4 * within, first_spare[i]);
        }
    }
    return result;
}

// The reverse: each lane's pair of each matrix goes into the row that another lane names.
template <int Count, bool Transposed>
SIMT_INLINE void store_matrices(char* row, const parts<uint32_t, Count>& values, const char* file = __builtin_FILE(),
                                int line = __builtin_LINE()) {
    const simt_warp_values* all = wmma::meet(row, matrix_store, file, line);
    const unsigned lane = simt_lane(), quad = lane / 4, within = lane % 4;
    char *first[Count], *second[Count];
    for (unsigned i = 0; i < Count; ++i) {
        const unsigned low = Transposed ? 2 * within : quad;
        first[i] = reinterpret_cast<char*>(brought(all, 8 * i + low).low);
        second[i] = reinterpret_cast<char*>(brought(all, 8 * i + (Transposed ? low + 1 : low)).low);
    }
    for (unsigned i = 0; i < Count; ++i) {
        if (Transposed) {
            *reinterpret_cast<uint16_t*>(first[i] + 2 * quad) = static_cast<uint16_t>(values.part[i]);
            *reinterpret_cast<uint16_t*>(second[i] + 2 * quad) = static_cast<uint16_t>(values.part[i] >> 16);
        } else {
            *reinterpret_cast<uint32_t*>(first[i] + 4 * within) = values.part[i];
        }
    }
}
// Of a matrix of 8 x 8 halves that the warp holds.
SIMT_INLINE uint32_t transposed(uint32_t pair) {
    const unsigned lane = simt_lane(), quad = lane / 4, within = lane % 4, shift = quad % 2 * 16;
    const uint32_t upper = __shfl_sync(0xffffffff, pair, static_cast<int>(8 * within + quad / 2));
    const uint32_t lower = __shfl_sync(0xffffffff, pair, static_cast<int>(8 * within + 4 + quad / 2));
    return (upper >> shift & 0xffff) | (lower >> shift & 0xffff) << 16;
}

template <class T>
struct register_of {
    typedef T type;
};
template <>
struct register_of<__half> {
    typedef uint32_t type;
};
template <class T>
using word = typename register_of<T>::type;

template <class T, class Shape>
struct piece {
    using simt_shape = Shape;
    typedef T element_type;
    typedef typename wmma::stored<T>::type storage_element_type;
};

template <int M, int N, int K, class D, class A, class B, class C>
SIMT_INLINE void multiply(word<D>* d, const void* a, const void* b, const word<C>* c, bool saturate,
                          const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    using Sums = wmma::grid<M, N, 2, 0>;
    const wmma::operands mine = {a, b, c, d};
    const simt_warp_values* all = wmma::meet(&mine, matrix_multiply, file, line);
    if (simt_lane() == 0)
        wmma::multiply<piece<D, Sums>, piece<A, wmma::grid<M, K, wmma::factor<A>::run, 0>>,
                       piece<B, wmma::grid<N, K, wmma::factor<B>::run, 0>>, piece<C, Sums>>(all, saturate);
    wmma::meet(nullptr, matrix_multiplied, file, line);
}

}  // namespace ptx
}  // namespace simt
