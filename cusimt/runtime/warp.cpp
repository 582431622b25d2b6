// Collectives among the lanes of a warp.
#include "warp.h"

#include <string.h>

#include <algorithm>
#include <utility>

namespace simt {

void LaneClocks::reset() {
    now = 1;
    everyone = 0;
    met = false;
    if (partial) memset(seen, 0, sizeof seen);
    partial = false;
}

void LaneClocks::join(uint32_t lanes, uint32_t live) {
    met = true;
    if ((lanes & live) == live) {  // everyone still running knows everything up to now
        everyone = now++;
        return;
    }
    partial = true;
    uint32_t joined[kWarpSize] = {};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        for (unsigned other = 0; other < kWarpSize; ++other) joined[other] = std::max(joined[other], seen[lane][other]);
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (lanes >> lane & 1) joined[lane] = now;
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (lanes >> lane & 1) memcpy(seen[lane], joined, sizeof joined);
    }
    ++now;
}

bool LaneClocks::ordered(unsigned earlier, uint32_t when, unsigned later) const {
    return when <= everyone || (partial && when <= seen[later][earlier]);
}

void Warp::reset(uint32_t lanes) {
    live = lanes;
    clocks.reset();
    if (pending_.empty() && unused_.size() == pool_.size()) return;
    pending_.clear();  // a dropped block left groups behind
    unused_.clear();
    for (auto& group : pool_) unused_.push_back(group.get());
    std::fill(std::begin(waiting), std::end(waiting), nullptr);
}

Collective& Warp::arrive(unsigned lane, uint32_t mask, int op, uint64_t lo, uint64_t hi) {
    Collective* group = nullptr;
    for (Collective* candidate : pending_) {
        if (candidate->mask == mask && candidate->op == op) group = candidate;
    }
    if (!group) {
        if (unused_.empty()) {
            pool_.push_back(std::make_unique<Collective>());
            unused_.push_back(pool_.back().get());
        }
        group = unused_.back();
        unused_.pop_back();
        group->mask = mask;
        group->op = op;
        group->readers = 0;
        group->complete = false;
        group->values.participants = 0;
        pending_.push_back(group);
    }
    group->values.value[lane][0] = lo;
    group->values.value[lane][1] = hi;
    group->values.participants |= 1u << lane;
    return *group;
}

uint32_t Warp::complete(Collective& group) {
    group.complete = true;
    group.readers = group.values.participants;
    pending_.erase(std::find(pending_.begin(), pending_.end(), &group));
    clocks.join(group.values.participants, live);
    return group.values.participants;
}

void Warp::leave(Fiber& fiber) {
    Collective* group = std::exchange(fiber.reading, nullptr);
    group->readers &= ~(1u << (fiber.thread % kWarpSize));
    if (group->readers == 0) unused_.push_back(group);
}

Collective* Warp::first_full() {
    for (Collective* group : pending_) {
        if (is_full(*group)) return group;
    }
    return nullptr;
}

}  // namespace simt
