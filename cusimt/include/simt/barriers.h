// Barriers of a block and of a warp, and memory fences.
#pragma once
#include <simt_api.h>

#include "simt/qualifiers.h"

namespace simt {
enum barrier_reduction { barrier_count = 0, barrier_and = 1, barrier_or = 2 };
}  // namespace simt

SIMT_INLINE void __syncthreads() { simt_barrier(); }
SIMT_INLINE int __syncthreads_count(int predicate) { return simt_barrier_reduce(predicate != 0, simt::barrier_count); }
SIMT_INLINE int __syncthreads_and(int predicate) { return simt_barrier_reduce(predicate != 0, simt::barrier_and); }
SIMT_INLINE int __syncthreads_or(int predicate) { return simt_barrier_reduce(predicate != 0, simt::barrier_or); }

// All CUDA threads of a launch run on one OS thread: what one wrote, the next one sees. A fence only has to hold the
// compiler back, and to tell the checked build.
SIMT_INLINE void __threadfence_block() {
    __asm__ __volatile__("" ::: "memory");
    simt_fence(1);
}
SIMT_INLINE void __threadfence() {
    __asm__ __volatile__("" ::: "memory");
    simt_fence(2);
}
SIMT_INLINE void __threadfence_system() { __threadfence(); }
