// make_float4(x, y, z, w) and its relatives.
#pragma once
#define __VECTOR_FUNCTIONS_H__  // as in CUDA: by this other headers know that it is included
#include "simt/qualifiers.h"
#include "vector_types.h"

#define SIMT_MAKE(PREFIX, T)                                                              \
    SIMT_INLINE PREFIX##1 make_##PREFIX##1(T x) { return PREFIX##1 {x}; }                 \
    SIMT_INLINE PREFIX##2 make_##PREFIX##2(T x, T y) { return PREFIX##2 {x, y}; }         \
    SIMT_INLINE PREFIX##3 make_##PREFIX##3(T x, T y, T z) { return PREFIX##3 {x, y, z}; } \
    SIMT_INLINE PREFIX##4 make_##PREFIX##4(T x, T y, T z, T w) { return PREFIX##4 {x, y, z, w}; }
#define SIMT_MAKE_ALIGNED(PREFIX, T)                                                                          \
    SIMT_INLINE PREFIX##4_16a make_##PREFIX##4_16a(T x, T y, T z, T w) { return PREFIX##4_16a {x, y, z, w}; } \
    SIMT_INLINE PREFIX##4_32a make_##PREFIX##4_32a(T x, T y, T z, T w) { return PREFIX##4_32a {x, y, z, w}; }
SIMT_MAKE(char, signed char)
SIMT_MAKE(uchar, unsigned char)
SIMT_MAKE(short, short)
SIMT_MAKE(ushort, unsigned short)
SIMT_MAKE(int, int)
SIMT_MAKE(uint, unsigned int)
SIMT_MAKE(float, float)
SIMT_MAKE(long, long)
SIMT_MAKE(ulong, unsigned long)
SIMT_MAKE(longlong, long long)
SIMT_MAKE(ulonglong, unsigned long long)
SIMT_MAKE(double, double)
SIMT_MAKE_ALIGNED(long, long)
SIMT_MAKE_ALIGNED(ulong, unsigned long)
SIMT_MAKE_ALIGNED(longlong, long long)
SIMT_MAKE_ALIGNED(ulonglong, unsigned long long)
SIMT_MAKE_ALIGNED(double, double)
#undef SIMT_MAKE
#undef SIMT_MAKE_ALIGNED
