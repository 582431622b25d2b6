// cooperative_groups::memcpy_async: the group copies together. Each call is a batch of its own; the bytes arrive, for all
// threads of the group, at wait() or at the wait_prior() that leaves no more than the newest batches out.
#pragma once
#include <stddef.h>

#include "cooperative_groups.h"
#include "simt/async/copies.h"

namespace cooperative_groups {

// `size` is in bytes, as in CUDA: a number or cuda::aligned_size_t.
template <class Group, class T, class Size>
SIMT_INLINE void memcpy_async(const Group& group, T* to, const T* from, const Size& size) {
    simt::copy_in_pieces(group, to, from, size);
    simt_async_commit();
}
// The smaller of two numbers of elements.
template <class Group, class T, class ToElements, class FromElements>
SIMT_INLINE void memcpy_async(const Group& group, T* to, const ToElements& to_elements, const T* from,
                              const FromElements& from_elements) {
    size_t most = static_cast<size_t>(to_elements), there = static_cast<size_t>(from_elements);
    memcpy_async(group, to, from, (there < most ? there : most) * sizeof(T));
}

template <unsigned Batches, class Group>
SIMT_INLINE void wait_prior(const Group& group) {
    simt_async_wait(Batches);
    group.sync();
}
template <class Group>
SIMT_INLINE void wait(const Group& group) {
    wait_prior<0>(group);
}

}  // namespace cooperative_groups
