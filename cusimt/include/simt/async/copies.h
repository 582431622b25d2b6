// How a group of threads shares the work of an asynchronous copy: in pieces of up to 16 bytes, each copied by one thread.
#pragma once
#include <simt_api.h>
#include <stddef.h>

#include "simt/qualifiers.h"

namespace cuda {
// A number of bytes, and what both pointers are promised to be multiples of.
template <size_t Alignment>
struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    SIMT_INLINE explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    SIMT_INLINE constexpr operator size_t() const { return value; }
};
}  // namespace cuda

namespace simt {

struct one_thread {
    SIMT_INLINE static unsigned thread_rank() { return 0; }
    SIMT_INLINE static unsigned size() { return 1; }
};

template <class T>
struct alignment_of_pointer {
    static constexpr size_t value = alignof(T);
};
template <>
struct alignment_of_pointer<void> {
    static constexpr size_t value = 1;
};

template <class Size>
struct promised_alignment {
    static constexpr size_t value = 1;
};
template <size_t Alignment>
struct promised_alignment<cuda::aligned_size_t<Alignment>> {
    static constexpr size_t value = Alignment;
};

template <class Group>
SIMT_INLINE void copy_in_pieces(const Group& group, void* to, const void* from, size_t bytes, size_t alignment) {
    size_t piece = alignment < 16 ? alignment : 16;
    while (bytes % piece) piece /= 2;
    for (size_t at = group.thread_rank() * piece; at < bytes; at += group.size() * piece)
        simt_async_copy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, static_cast<unsigned>(piece), 0);
}

// `size`: bytes, as a number or as cuda::aligned_size_t.
template <class Group, class T, class Size>
SIMT_INLINE void copy_in_pieces(const Group& group, T* to, const void* from, Size size) {
    constexpr size_t typed = alignment_of_pointer<T>::value, promised = promised_alignment<Size>::value;
    copy_in_pieces(group, to, from, static_cast<size_t>(size), typed > promised ? typed : promised);
}

}  // namespace simt
