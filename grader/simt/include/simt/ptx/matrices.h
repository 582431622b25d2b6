// ldmatrix and mma.sync: fragments as PTX documents them, products as nvcuda::wmma computes them.
#pragma once
#include "mma.h"
#include "simt/ptx/memory.h"

namespace simt {
namespace ptx {

// Matrices of 8 x 8 halves. Lane 8 * i + r names row r of matrix i; each lane gets two neighbours of each matrix, or, transposed,
// two that stand below each other.
template <int Count, bool Transposed>
SIMT_INLINE parts<uint32_t, Count> load_matrices(const char* row, const char* file = __builtin_FILE(),
                                                 int line = __builtin_LINE()) {
    const simt_warp_values* all = wmma::meet(row, matrix_load, file, line);
    const unsigned lane = simt_lane(), quad = lane / 4, within = lane % 4;
    const char *first[Count], *second[Count];
    for (unsigned i = 0; i < Count; ++i) {
        const unsigned rows = 8 * i, low = Transposed ? 2 * within : quad;
        first[i] = reinterpret_cast<const char*>(brought(all, rows + low).low);
        second[i] = reinterpret_cast<const char*>(brought(all, rows + (Transposed ? low + 1 : low)).low);
    }
    parts<uint32_t, Count> result;
    for (unsigned i = 0; i < Count; ++i) {
        if (Transposed) {
            uint32_t low = *reinterpret_cast<const uint16_t*>(first[i] + 2 * quad);
            uint32_t high = *reinterpret_cast<const uint16_t*>(second[i] + 2 * quad);
            result.part[i] = low | high << 16;
        } else {
            result.part[i] = *reinterpret_cast<const uint32_t*>(first[i] + 4 * within);
        }
    }
    return result;
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
