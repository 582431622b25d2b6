// nvcuda::wmma::fragment: the part of a matrix that one lane holds.
//
// CUDA leaves open which elements those are, and programs may only treat all of them alike. Here they are placed as the tensor
// cores' own instructions (mma.sync) document it: in tiles of 8 rows and 4 * Run columns, the lanes of a quad side by side with
// Run neighbouring elements each; tiles go down the rows first. Of the second factor rows and columns change places.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt/qualifiers.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

}  // namespace wmma
}  // namespace nvcuda

namespace simt {
namespace wmma {

template <class T>
struct stored {  // tf32 is stored as float
    typedef T type;
};
template <>
struct stored<nvcuda::wmma::precision::tf32> {
    typedef float type;
};

// Of a factor: how many neighbouring elements a lane holds, and how many in all (a half matrix is held twice).
template <class T>
struct factor;
template <>
struct factor<__half> {
    static constexpr int run = 2, elements = 16;
};
template <>
struct factor<__nv_bfloat16> {
    static constexpr int run = 2, elements = 0;
};
template <>
struct factor<signed char> {
    static constexpr int run = 4, elements = 0;
};
template <>
struct factor<unsigned char> {
    static constexpr int run = 4, elements = 0;
};
template <>
struct factor<nvcuda::wmma::precision::tf32> {
    static constexpr int run = 1, elements = 0;
};
template <>
struct factor<double> {
    static constexpr int run = 1, elements = 0;
};

struct place {
    int row, column;
};

// Rows x Columns elements of which each lane holds Count different ones, and Elements with repetition.
template <int Rows, int Columns, int Run, int Elements>
struct grid {
    static constexpr int rows = Rows, columns = Columns, run = Run, count = Rows * Columns / 32;
    static constexpr int elements = Elements ? Elements : count;

    SIMT_INLINE static constexpr place of(unsigned lane, int element) {
        int tile = element / Run % (count / Run), tiles_down = Rows / 8;
        return {static_cast<int>(lane / 4) + tile % tiles_down * 8,
                (tile / tiles_down * 4 + static_cast<int>(lane % 4)) * Run + element % Run};
    }
};

template <class Use, int Rows, int Columns, int Depth, class T>
struct shape;
template <int Rows, int Columns, int Depth, class T>
struct shape<nvcuda::wmma::matrix_a, Rows, Columns, Depth, T> : grid<Rows, Depth, factor<T>::run, factor<T>::elements> {};
template <int Rows, int Columns, int Depth, class T>
struct shape<nvcuda::wmma::matrix_b, Rows, Columns, Depth, T> : grid<Columns, Depth, factor<T>::run, factor<T>::elements> {};
template <int Rows, int Columns, int Depth, class T>
struct shape<nvcuda::wmma::accumulator, Rows, Columns, Depth, T> : grid<Rows, Columns, 2, 0> {};

template <class One, class Other>
struct is_same {
    static constexpr bool value = __is_same(One, Other);
};

// The combinations that tensor cores have; a factor's type says which.
template <int Rows, int Columns, int Depth, class T>
constexpr bool is_factor() {
    if (is_same<T, double>::value) return Rows == 8 && Columns == 8 && Depth == 4;
    if (is_same<T, nvcuda::wmma::precision::tf32>::value) return Rows == 16 && Columns == 16 && Depth == 8;
    return Depth == 16 && ((Rows == 16 && Columns == 16) || (Rows == 32 && Columns == 8) || (Rows == 8 && Columns == 32));
}
template <int Rows, int Columns, int Depth, class T>
constexpr bool is_accumulator() {
    if (is_same<T, double>::value) return is_factor<Rows, Columns, Depth, double>();
    if (is_same<T, float>::value && is_factor<Rows, Columns, Depth, nvcuda::wmma::precision::tf32>()) return true;
    bool known = is_same<T, float>::value || is_same<T, __half>::value || is_same<T, int>::value;
    return known && is_factor<Rows, Columns, Depth, __half>();
}

}  // namespace wmma
}  // namespace simt

namespace nvcuda {
namespace wmma {

template <class Use, int Rows, int Columns, int Depth, class T, class Layout = void>
class fragment {
    static_assert(simt::wmma::is_factor<Rows, Columns, Depth, T>(), "wmma has no factors of this shape and type");

  public:
    using simt_shape = simt::wmma::shape<Use, Rows, Columns, Depth, T>;
    typedef T element_type;
    typedef typename simt::wmma::stored<T>::type storage_element_type;
    enum { num_elements = simt_shape::elements, num_storage_elements = simt_shape::elements };
    storage_element_type x[num_storage_elements];
};

template <int Rows, int Columns, int Depth, class T>
class fragment<accumulator, Rows, Columns, Depth, T, void> {
    static_assert(simt::wmma::is_accumulator<Rows, Columns, Depth, T>(), "wmma has no accumulators of this shape and type");

  public:
    using simt_shape = simt::wmma::shape<accumulator, Rows, Columns, Depth, T>;
    typedef T element_type;
    typedef T storage_element_type;
    enum { num_elements = simt_shape::elements, num_storage_elements = simt_shape::elements };
    storage_element_type x[num_storage_elements];
};

}  // namespace wmma
}  // namespace nvcuda
