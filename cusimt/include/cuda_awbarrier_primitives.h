// Barrier objects in shared memory: threads arrive, and may do other things before they wait for the end of the phase.
#pragma once
#include <stdint.h>

#include "cuda_runtime.h"

#ifdef __CUDACC__
typedef uint64_t __mbarrier_t __attribute__((aligned(8)));
typedef uint64_t __mbarrier_token_t;

SIMT_INLINE uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
SIMT_INLINE void __mbarrier_init(__mbarrier_t* barrier, uint32_t expected) { simt_phases_begin(barrier, expected); }
SIMT_INLINE void __mbarrier_inval(__mbarrier_t*) {}
// The token holds the phase and, for __mbarrier_token_pending_count, how many arrivals it lacked.
SIMT_INLINE __mbarrier_token_t simt_mbarrier_arrive(__mbarrier_t* barrier, int drops) {
    uint64_t pending = simt_phase_pending(barrier);
    return simt_phase_arrive(barrier, 1, drops) | (pending - 1) << 32;
}
SIMT_INLINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) { return simt_mbarrier_arrive(barrier, 0); }
SIMT_INLINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) { return simt_mbarrier_arrive(barrier, 1); }
SIMT_INLINE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) { return static_cast<uint32_t>(token >> 32); }
SIMT_INLINE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    return simt_phase_has_ended(barrier, token & 0xffffffff);
}
// Waits for the end of a phase whose number is even (false) or odd (true).
SIMT_INLINE bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool odd) {
    uint64_t phase = simt_phase_of(barrier);
    return simt_phase_has_ended(barrier, (phase & 1) == odd ? phase : phase - 1);
}
SIMT_INLINE bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, uint32_t) {
    return __mbarrier_test_wait(barrier, token);
}
SIMT_INLINE bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool odd, uint32_t) {
    return __mbarrier_test_wait_parity(barrier, odd);
}
#endif
