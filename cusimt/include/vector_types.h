// The vector types of CUDA: float2 ... ulonglong4, dim3. Sizes and alignments are CUDA's.
//
// A GPU moves a float4 with one 16-byte instruction, and the checked build must see it as one access: that is what makes
// vectorised code four times cheaper in requests. Left alone, compilers take `float4 v = p[i]` apart into four 4-byte loads
// before -fsanitize=thread looks. Types whose size is a power of two are therefore copied through a vector member, which
// gcc and clang keep whole (tests/simt/test_runtime_headers.py counts the callbacks).
#pragma once
#define __VECTOR_TYPES_H__  // as in CUDA: by this other headers know that it is included
#ifndef __cplusplus
#include "simt/c_vector_types.h"
#else

#define SIMT_INLINE inline __attribute__((always_inline))

// One component, or three (which a GPU also loads one by one): plain aggregates.
#define SIMT_VECTOR_1(NAME, T) \
    struct NAME {              \
        T x;                   \
    };
#define SIMT_VECTOR_3(NAME, T) \
    struct NAME {              \
        T x, y, z;             \
    };

// Copies go through `simt_bits`. The constructor from components replaces the aggregate initialisation `{1, 2, 3, 4}`;
// missing components are zero, as in an aggregate. The default constructor stays trivial so that `__shared__ float4 t[32]`
// needs no initialisation.
#define SIMT_COPY_WHOLE(NAME, BITS)                                      \
    NAME() = default;                                                    \
    SIMT_INLINE NAME(const NAME& other) { simt_bits = other.simt_bits; } \
    SIMT_INLINE NAME& operator=(const NAME& other) {                     \
        simt_bits = other.simt_bits;                                     \
        return *this;                                                    \
    }

#define SIMT_VECTOR_2(NAME, T, ALIGN)                                                 \
    struct alignas(ALIGN) NAME {                                                      \
        typedef T simt_vector __attribute__((vector_size(2 * sizeof(T)), may_alias)); \
        union {                                                                       \
            struct {                                                                  \
                T x, y;                                                               \
            };                                                                        \
            simt_vector simt_bits;                                                    \
        };                                                                            \
        SIMT_COPY_WHOLE(NAME, simt_bits)                                              \
        SIMT_INLINE constexpr NAME(T x_, T y_ = 0) : x(x_), y(y_) {}                  \
    };

#define SIMT_VECTOR_4(NAME, T, ALIGN)                                                                  \
    struct alignas(ALIGN) NAME {                                                                       \
        typedef T simt_vector __attribute__((vector_size(4 * sizeof(T)), may_alias));                  \
        union {                                                                                        \
            struct {                                                                                   \
                T x, y, z, w;                                                                          \
            };                                                                                         \
            simt_vector simt_bits;                                                                     \
        };                                                                                             \
        SIMT_COPY_WHOLE(NAME, simt_bits)                                                               \
        SIMT_INLINE constexpr NAME(T x_, T y_ = 0, T z_ = 0, T w_ = 0) : x(x_), y(y_), z(z_), w(w_) {} \
    };

// Four 8-byte components: 32 bytes, which sm_90 moves as two 16-byte halves.
#define SIMT_VECTOR_4_HALVES(NAME, T, ALIGN)                                                           \
    struct alignas(ALIGN) NAME {                                                                       \
        typedef T simt_vector __attribute__((vector_size(2 * sizeof(T)), may_alias));                  \
        union {                                                                                        \
            struct {                                                                                   \
                T x, y, z, w;                                                                          \
            };                                                                                         \
            simt_vector simt_halves[2];                                                                \
        };                                                                                             \
        NAME() = default;                                                                              \
        SIMT_INLINE NAME(const NAME& other) { *this = other; }                                         \
        SIMT_INLINE NAME& operator=(const NAME& other) {                                               \
            simt_halves[0] = other.simt_halves[0];                                                     \
            simt_halves[1] = other.simt_halves[1];                                                     \
            return *this;                                                                              \
        }                                                                                              \
        SIMT_INLINE constexpr NAME(T x_, T y_ = 0, T z_ = 0, T w_ = 0) : x(x_), y(y_), z(z_), w(w_) {} \
    };

#define SIMT_VECTORS(PREFIX, T)                \
    SIMT_VECTOR_1(PREFIX##1, T)                \
    SIMT_VECTOR_2(PREFIX##2, T, 2 * sizeof(T)) \
    SIMT_VECTOR_3(PREFIX##3, T)                \
    SIMT_VECTOR_4(PREFIX##4, T, 4 * sizeof(T))

#define SIMT_WIDE_VECTORS(PREFIX, T)           \
    SIMT_VECTOR_1(PREFIX##1, T)                \
    SIMT_VECTOR_2(PREFIX##2, T, 16)            \
    SIMT_VECTOR_3(PREFIX##3, T)                \
    SIMT_VECTOR_4_HALVES(PREFIX##4, T, 16)     \
    SIMT_VECTOR_4_HALVES(PREFIX##4_16a, T, 16) \
    SIMT_VECTOR_4_HALVES(PREFIX##4_32a, T, 32)

SIMT_VECTORS(char, signed char)
SIMT_VECTORS(uchar, unsigned char)
SIMT_VECTORS(short, short)
SIMT_VECTORS(ushort, unsigned short)
SIMT_VECTORS(int, int)
SIMT_VECTORS(uint, unsigned int)
SIMT_VECTORS(float, float)
SIMT_WIDE_VECTORS(long, long)
SIMT_WIDE_VECTORS(ulong, unsigned long)
SIMT_WIDE_VECTORS(longlong, long long)
SIMT_WIDE_VECTORS(ulonglong, unsigned long long)
SIMT_WIDE_VECTORS(double, double)

#undef SIMT_VECTOR_1
#undef SIMT_VECTOR_2
#undef SIMT_VECTOR_3
#undef SIMT_VECTOR_4
#undef SIMT_VECTOR_4_HALVES
#undef SIMT_COPY_WHOLE
#undef SIMT_VECTORS
#undef SIMT_WIDE_VECTORS
#undef SIMT_INLINE

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};
#endif
