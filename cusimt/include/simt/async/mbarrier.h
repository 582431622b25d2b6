// Barrier objects as mbarrier instructions see them: 8 bytes of shared memory, tokens of 64 bits, phases told apart by parity.
#pragma once
#include <simt_api.h>
#include <stdint.h>

#include "simt/qualifiers.h"

namespace simt {
namespace mbarrier {

// A token holds the phase and, for `pending_count`, how many arrivals that lacked before this one.
SIMT_INLINE uint64_t arrive(uint64_t* barrier, uint32_t arrivals, int drops) {
    const uint64_t pending = simt_phase_pending(barrier);
    return simt_phase_arrive(barrier, arrivals, drops) | pending << 32;
}
SIMT_INLINE uint64_t arrive_expecting(uint64_t* barrier, uint32_t arrivals, uint32_t bytes, int drops = 0) {
    const uint64_t pending = simt_phase_pending(barrier);
    simt_phase_expect(barrier, bytes);
    return simt_phase_arrive(barrier, arrivals, drops) | pending << 32;
}
// One that must not be the last: the program promises so.
SIMT_INLINE uint64_t arrive_without_end(uint64_t* barrier, uint32_t arrivals, int drops) {
    simt_phase_must_outlast(barrier, arrivals);
    return arrive(barrier, arrivals, drops);
}
SIMT_INLINE uint32_t pending_count(uint64_t token) { return static_cast<uint32_t>(token >> 32); }
SIMT_INLINE bool has_ended(uint64_t* barrier, uint64_t token) { return simt_phase_has_ended(barrier, token & 0xffffffff) != 0; }
// Of the phase that runs, or of the one before it: which is meant, its number shows, even (false) or odd (true).
SIMT_INLINE bool parity_has_ended(uint64_t* barrier, bool odd) {
    const uint64_t phase = simt_phase_of(barrier);
    return simt_phase_has_ended(barrier, (phase & 1) == odd ? phase : phase - 1) != 0;
}

}  // namespace mbarrier
}  // namespace simt
