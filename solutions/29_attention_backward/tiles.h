// Tiles of rows in shared memory, and vectors of 16 bytes: what the kernels of forward and backward
// share.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

#include "attention.h"

namespace {

constexpr int kVectorBytes = 16;  // that one instruction loads

template <typename T>
using Vector = std::conditional_t<std::is_same_v<T, float>, float4, double2>;

// Neighbours in memory that one instruction loads or stores.
template <typename T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
    T value[kWidth];
};

template <typename T>
__device__ T element(const Vector<T>& vector, int index) {
    return reinterpret_cast<const T*>(&vector)[index];
}

// The place of an element in a row of a tile. Vectors of neighbouring rows are exchanged with each
// other, so that the same vector of eight neighbouring rows is in different banks (exercise 13).
template <typename T, int kColumns>
__device__ int swizzled(int row, int column) {
    constexpr unsigned kVector = kVectorBytes / sizeof(T), kVectors = kColumns / kVector;
    // Unsigned: the remainder of a signed number that may be negative takes more than one mask.
    const unsigned exchanged = static_cast<unsigned>(row) % (kVectors < 8 ? kVectors : 8);
    const unsigned place = static_cast<unsigned>(column) / kVector ^ exchanged;
    return static_cast<int>(place * kVector + static_cast<unsigned>(column) % kVector);
}

template <typename T, int kRows, int kColumns>
__device__ Vector<T> load_vector(const T (&tile)[kRows][kColumns], int row, int vector) {
    constexpr int kVector = kVectorBytes / sizeof(T);
    return *reinterpret_cast<const Vector<T>*>(
        &tile[row][swizzled<T, kColumns>(row, vector * kVector)]);
}

// Loads rows x[first], x[first + 1], ... into a tile; zeros where x has no element. All threads
// call it. `wide`: a vector of Stored at a time, as rows begin at multiples of its size and have a
// whole number of them.
template <int kThreads, typename T, int kRows, int kDims, typename Stored>
__device__ void load_tile(T (&tile)[kRows][kDims], const Stored* __restrict__ x, int64_t first,
                          int64_t rows, int64_t stride, int dims, bool wide) {
    constexpr int kVector = kVectorBytes / sizeof(T), kAcrossRow = kDims / kVector;
    constexpr int kAtOnce = kThreads / kAcrossRow;  // rows of which all threads load one vector each
    static_assert(kThreads % kAcrossRow == 0 && kRows % kAtOnce == 0);
    const int column = static_cast<int>(threadIdx.x) % kAcrossRow * kVector;
#pragma unroll 4
    for (int n = 0; n < kRows; n += kAtOnce) {
        const int row = n + static_cast<int>(threadIdx.x) / kAcrossRow;
        const Stored* from = x + (first + row) * stride + column;
        const int there = first + row < rows ? dims - column : 0;  // elements of x from here on
        Pack<Stored, kVector> pack = {};
        if (wide) {
            if (there > 0) pack = *reinterpret_cast<const Pack<Stored, kVector>*>(from);
        } else {
            for (int e = 0; e < kVector; ++e) {
                if (e < there) pack.value[e] = from[e];
            }
        }
        Pack<T, kVector> converted;
        for (int e = 0; e < kVector; ++e) converted.value[e] = static_cast<T>(pack.value[e]);
        *reinterpret_cast<Pack<T, kVector>*>(&tile[row][swizzled<T, kDims>(row, column)]) =
            converted;
    }
}

// Writes a thread's vectors of one row of a result: vector first, and every kAcross-th after it.
template <int kAcross, typename Stored, typename T, int kColumns>
__device__ void store_row(Stored* to, const T (&values)[kColumns], int first, int dims, bool wide) {
    constexpr int kVector = kVectorBytes / sizeof(T);
    for (int v = 0; v < kColumns / kVector; ++v) {
        const int column = (first + v * kAcross) * kVector;
        Pack<Stored, kVector> pack;
        for (int e = 0; e < kVector; ++e)
            pack.value[e] = static_cast<Stored>(values[v * kVector + e]);
        if (wide) {
            if (column < dims) *reinterpret_cast<Pack<Stored, kVector>*>(to + column) = pack;
        } else {
            for (int e = 0; e < kVector; ++e) {
                if (column + e < dims) to[column + e] = pack.value[e];
            }
        }
    }
}

// Whether every row begins at a multiple of a vector's size. Stored: the type in memory; T: in the
// tiles.
template <typename T, typename Stored>
bool in_vectors(const Stored* data, Strides strides) {
    constexpr int64_t kVector = kVectorBytes / sizeof(T);
    return reinterpret_cast<uintptr_t>(data) % (kVector * sizeof(Stored)) == 0 &&
           strides.batch % kVector == 0 && strides.head % kVector == 0 &&
           strides.row % kVector == 0;
}

}  // namespace
