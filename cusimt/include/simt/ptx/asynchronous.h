// Barrier objects of inline PTX.
#pragma once
#include "simt/async/mbarrier.h"
#include "simt/ptx/registers.h"

namespace simt {
namespace ptx {

SIMT_INLINE uint64_t* barrier_object(char* address) { return reinterpret_cast<uint64_t*>(address); }

// The copies that this thread made before arrive once they are complete, which here they are when the phase ends. `counted`:
// the phase was begun with that arrival; otherwise it expects one more.
SIMT_INLINE void arrive_with_copies(uint64_t* barrier, bool counted) {
    simt_async_attach(barrier);
    if (counted) simt_phase_arrive(barrier, 1, 0);
}

}  // namespace ptx
}  // namespace simt
