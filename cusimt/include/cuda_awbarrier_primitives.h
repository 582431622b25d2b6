// Barrier objects in shared memory: threads arrive, and may do other things before they wait for the end of the phase.
#pragma once
#include <stdint.h>

#include "cuda_runtime.h"
#include "simt/async/mbarrier.h"

#ifdef __CUDACC__
typedef uint64_t __mbarrier_t __attribute__((aligned(8)));
typedef uint64_t __mbarrier_token_t;

SIMT_INLINE uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
SIMT_INLINE void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected) { simt_phases_begin(barrier, expected); }
SIMT_INLINE void __mbarrier_inval(__mbarrier_t* barrier) { simt_phases_end(barrier); }
SIMT_INLINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) { return simt::mbarrier::arrive(barrier, 1, 0); }
SIMT_INLINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
    return simt::mbarrier::arrive(barrier, 1, 1);
}
SIMT_INLINE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) { return simt::mbarrier::pending_count(token); }
SIMT_INLINE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    return simt::mbarrier::has_ended(barrier, token);
}
SIMT_INLINE bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool odd) {
    return simt::mbarrier::parity_has_ended(barrier, odd);
}
SIMT_INLINE bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, uint32_t) {
    return __mbarrier_test_wait(barrier, token);
}
SIMT_INLINE bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool odd, uint32_t) {
    return __mbarrier_test_wait_parity(barrier, odd);
}
#endif
