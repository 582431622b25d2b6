// Warps: their live lanes, and the collectives (shuffle, vote, match, __syncwarp) in which they wait for one another.
#pragma once
#include <stdint.h>

#include <memory>
#include <vector>

#include "fiber.h"
#include "simt_api.h"

namespace simt {

constexpr unsigned kWarpSize = 32;

// One group of lanes meeting in one call: all lanes of `mask` that have not exited.
struct Collective {
    simt_warp_values values;
    uint32_t mask = 0;
    uint32_t readers = 0;  // lanes that may still read the values
    int op = 0;
    bool complete = false;
};

// Which accesses of other lanes a lane is ordered after: seen[a][b] is the latest clock of lane b that lane a knows about.
// A collective orders its participants, and through them everything they were ordered after (vector clocks). Whole-warp
// collectives, the usual case, only move `everyone`.
struct LaneClocks {
    uint32_t now = 1;
    uint32_t everyone = 0;
    bool met = false;
    bool partial = false;  // has `seen` been used since the last reset?
    uint32_t seen[kWarpSize][kWarpSize];
    void reset();
    void join(uint32_t lanes, uint32_t live);
    bool has_met() const { return met; }  // any collective since the block began
    uint32_t tick() { return now++; }     // separates later accesses from earlier ones
    bool ordered(unsigned earlier, uint32_t when, unsigned later) const;
};

class Warp {
  public:
    uint32_t live = 0;               // lanes that exist and have not exited
    Fiber* waiting[kWarpSize] = {};  // parked in a collective or in simt_active_mask
    LaneClocks clocks;

    void reset(uint32_t lanes);
    Collective& arrive(unsigned lane, uint32_t mask, int op, uint64_t lo, uint64_t hi);
    // All live lanes of its mask are there.
    bool is_full(const Collective& group) const { return (group.values.participants & live) == (group.mask & live); }
    // Closes the group; returns the participants. The values stay until every one of them moved on.
    uint32_t complete(Collective& group);
    void stop_reading(Fiber& fiber) {
        if (fiber.reading) leave(fiber);
    }
    // A lane exited: a group that only waited for it, if any.
    Collective* filled_by_exit() { return pending_.empty() ? nullptr : first_full(); }
    const std::vector<Collective*>& pending() const { return pending_; }

  private:
    void leave(Fiber& fiber);
    Collective* first_full();

    std::vector<Collective*> pending_;
    std::vector<std::unique_ptr<Collective>> pool_;
    std::vector<Collective*> unused_;
};

}  // namespace simt
