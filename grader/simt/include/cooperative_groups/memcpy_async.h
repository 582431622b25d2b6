// cooperative_groups::memcpy_async: the group copies together, and is done at once; wait() is the group's barrier.
#pragma once
#include <stddef.h>

#include "cooperative_groups.h"

namespace cooperative_groups {

// The size is in bytes, as in CUDA.
template <class Group, class T>
SIMT_INLINE void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class Group>
SIMT_INLINE void wait(const Group& group) {
    group.sync();
}
template <unsigned Stages, class Group>
SIMT_INLINE void wait_prior(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups
