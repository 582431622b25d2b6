// The vector types for hosts written in C, of the sizes and alignments that vector_types.h has in C++.
#pragma once

#define SIMT_VECTORS(PREFIX, T, ALIGN_2, ALIGN_4)                                \
    typedef struct PREFIX##1 { T x; }                                            \
    PREFIX##1;                                                                   \
    typedef struct __attribute__((aligned(ALIGN_2))) PREFIX##2 { T x, y; }       \
    PREFIX##2;                                                                   \
    typedef struct PREFIX##3 { T x, y, z; }                                      \
    PREFIX##3;                                                                   \
    typedef struct __attribute__((aligned(ALIGN_4))) PREFIX##4 { T x, y, z, w; } \
    PREFIX##4;

SIMT_VECTORS(char, signed char, 2, 4)
SIMT_VECTORS(uchar, unsigned char, 2, 4)
SIMT_VECTORS(short, short, 4, 8)
SIMT_VECTORS(ushort, unsigned short, 4, 8)
SIMT_VECTORS(int, int, 8, 16)
SIMT_VECTORS(uint, unsigned int, 8, 16)
SIMT_VECTORS(float, float, 8, 16)
SIMT_VECTORS(long, long, 16, 16)
SIMT_VECTORS(ulong, unsigned long, 16, 16)
SIMT_VECTORS(longlong, long long, 16, 16)
SIMT_VECTORS(ulonglong, unsigned long long, 16, 16)
SIMT_VECTORS(double, double, 16, 16)
#undef SIMT_VECTORS

typedef struct dim3 {
    unsigned int x, y, z;
} dim3;
