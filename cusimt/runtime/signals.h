// Release-acquire order through flags: a fence and a strong write (atomic or volatile) by the producer, a strong read by the
// consumer. Locks, tickets and look-back scans are built from it.
//
// Individual flags are not tracked. Writes of a warp before a fence are released once one of its threads makes a strong write,
// and acquired by every warp that makes a strong read. That may hide a race between threads that use flags for something else,
// but never invents one. (The fence that formal models require of the reader is not required.)
#pragma once
#include <stdint.h>

#include "warp.h"

namespace simt {

enum FenceScope { kFenceBlock = 1, kFenceDevice = 2 };

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
    // A strong write; true if there was a fence before it, so that it tells of something.
    bool send(unsigned thread, uint32_t epoch) {
        State& state = of(thread, epoch);
        state.has_told = state.has_told || state.has_fenced;
        state.told = state.fenced;
        return state.has_fenced;
    }
    void receive(unsigned thread, uint32_t epoch) { of(thread, epoch).has_heard = true; }
    bool has_heard(unsigned thread, uint32_t epoch) const {
        const State& state = states_[thread / kWarpSize];
        return state.epoch == epoch && state.has_heard;
    }

    // Does the running thread know of what another one did at `clock`, in this epoch? Without a clock: of anything it did.
    bool told(unsigned earlier, uint32_t clock, unsigned now, uint32_t epoch) const {
        return told(earlier, now, epoch) && clock <= states_[earlier / kWarpSize].told;
    }
    bool told(unsigned earlier, unsigned now, uint32_t epoch) const {
        const State& teller = states_[earlier / kWarpSize];
        return teller.epoch == epoch && teller.has_told && has_heard(now, epoch);
    }

  private:
    // Of one warp in one epoch; a barrier orders more than any flag, so nothing is kept beyond.
    struct State {
        uint32_t epoch = 0, fenced = 0, told = 0;  // the latter two: clocks of the warp
        bool has_fenced = false, has_told = false, has_heard = false;
    };
    State& of(unsigned thread, uint32_t epoch) {
        State& state = states_[thread / kWarpSize];
        if (state.epoch != epoch) state = {.epoch = epoch};
        return state;
    }
    State states_[1024 / kWarpSize];
};

}  // namespace simt
