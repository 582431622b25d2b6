// Release-acquire order through flags, of accesses to shared memory (those to global memory: release_order.h). A fence and a
// strong write (atomic or volatile) by the producer, a strong read by the consumer: locks, tickets and look-back scans are built
// from it.
//
// Individual flags are not tracked. Writes of a warp before a fence are released once one of its threads makes a strong write,
// and acquired by every warp that makes a strong read. That may hide a race between threads that use flags for something else,
// but never invents one. (The fence that formal models require of the reader is not required.)
#pragma once
#include <stdint.h>

#include "warp.h"

namespace simt {

class Signals {
  public:
    void begin_block() {
        for (State& state : states_) state = {};
    }
    void fence(unsigned thread, Warp& warp, uint32_t epoch) {
        State& state = of(thread, epoch);
        state.fenced = warp.clocks.tick();
        state.has_fenced = true;
    }
    // A strong write; true if there was a fence before it, so that it releases what came before.
    bool release(unsigned thread, uint32_t epoch) {
        State& state = of(thread, epoch);
        state.has_released = state.has_released || state.has_fenced;
        state.released = state.fenced;
        return state.has_fenced;
    }
    void acquire(unsigned thread, uint32_t epoch) { of(thread, epoch).has_acquired = true; }
    bool has_acquired(unsigned thread, uint32_t epoch) const {
        const State& state = states_[thread / kWarpSize];
        return state.epoch == epoch && state.has_acquired;
    }

    // Does a flag order what `earlier` did at `clock`, in this epoch, before what the running thread `now` does?
    bool orders(unsigned earlier, uint32_t clock, unsigned now, uint32_t epoch) const {
        const State& sender = states_[earlier / kWarpSize];
        return sender.epoch == epoch && sender.has_released && has_acquired(now, epoch) && clock <= sender.released;
    }

  private:
    // Of one warp in one epoch; a barrier orders more than any flag, so nothing is kept beyond.
    struct State {
        uint32_t epoch = 0, fenced = 0, released = 0;  // the latter two: clocks of the warp
        bool has_fenced = false, has_released = false, has_acquired = false;
    };
    State& of(unsigned thread, uint32_t epoch) {
        State& state = states_[thread / kWarpSize];
        if (state.epoch != epoch) state = {.epoch = epoch};
        return state;
    }
    State states_[1024 / kWarpSize];
};

}  // namespace simt
