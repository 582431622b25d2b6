// The items of one thread as vector accesses of up to 16 bytes, where size and alignment allow: what CUB's VECTORIZE means.
#pragma once
#include <stdint.h>

#include "simt/qualifiers.h"
#include "vector_types.h"

namespace simt {

// The widest access that N items of type T divide into evenly.
template <class T, int N>
constexpr int access_bytes() {
    constexpr int bytes = sizeof(T) * N;
    return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 0;
}

template <class Vector, class T, int N>
SIMT_INLINE void copy_vectors(const T* from, T* to) {
    for (int i = 0; i < static_cast<int>(sizeof(T) * N / sizeof(Vector)); ++i)
        reinterpret_cast<Vector*>(to)[i] = reinterpret_cast<const Vector*>(from)[i];
}

template <class T, int N>
SIMT_INLINE void copy_widest(const T* from, T* to, const void* global) {
    bool aligned = reinterpret_cast<uintptr_t>(global) % (access_bytes<T, N>() ? access_bytes<T, N>() : 1) == 0;
    if (access_bytes<T, N>() == 16 && aligned) copy_vectors<float4, T, N>(from, to);
    else if (access_bytes<T, N>() == 8 && aligned) copy_vectors<float2, T, N>(from, to);
    else
        for (int i = 0; i < N; ++i) to[i] = from[i];
}

template <class T, int N>
SIMT_INLINE void load_vectors(const T* global, T (&items)[N]) {
    alignas(16) T copy[N];
    copy_widest<T, N>(global, copy, global);
    for (int i = 0; i < N; ++i) items[i] = copy[i];
}

template <class T, int N>
SIMT_INLINE void store_vectors(T* global, const T (&items)[N]) {
    alignas(16) T copy[N];
    for (int i = 0; i < N; ++i) copy[i] = items[i];
    copy_widest<T, N>(copy, global, global);
}

}  // namespace simt
