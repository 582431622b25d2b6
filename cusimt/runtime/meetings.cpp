// Synchronisation within a block: barriers, and collectives among the lanes of a warp.
#include <stdio.h>
#include <stdlib.h>

#include "block.h"
#include "counting.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "shared_memory.h"

namespace simt {
namespace {
// A GPU waits for the threads that have not exited. For a submission that is reported all the same: mostly it
// is a mistake. A program whose findings are collected may rely on it.
bool exits_reported = !getenv("CUSIMT_FINDINGS");
}  // namespace

// ---- barriers -----------------------------------------------------------------------------------------------------------

int Block::barrier(int predicate, int op, const void* call_site) {
    Fiber& self = *current_;
    warp_of(self.thread).stop_reading(self);
    barrier_count_ += predicate != 0;
    self.call_site = call_site;
    at_barrier_.push_back(&self);
    if (at_barrier_.size() < live_) {
        park(self, Wait::barrier, call_site);
    } else {
        release_barrier();
        enter(self);
    }
    return barrier_result_[op];
}

void Block::release_barrier() {
    note_divergence();
    barrier_result_[0] = barrier_count_;
    barrier_result_[1] = barrier_count_ == int(at_barrier_.size());
    barrier_result_[2] = barrier_count_ > 0;
    barrier_count_ = 0;
    if (is_watched_) shared_memory.pass_barrier();
    if (execution.access.counted) counting.pass_barrier(at_barrier_);
    for (Fiber* fiber : at_barrier_) {
        if (fiber->wait == Wait::barrier) ready_.push(fiber);  // not the last to arrive: it goes straight on
    }
    at_barrier_.clear();
}

void Block::note_divergence() {
    Fiber& first = *at_barrier_.front();
    uint3 thread = execution.thread_index[first.thread];
    if (exited() && exits_reported) {
        char note[120];
        snprintf(note, sizeof note, "%u of the block's %u threads had already returned", exited(), threads_);
        report({.kind = "divergent_barrier", .call_site = first.call_site, .note = note, .block = index_, .thread = thread});
    }
    if (!is_checked_launch()) return;  // the optimiser may have made two calls of one
    for (Fiber* fiber : at_barrier_) {
        if (fiber->call_site == first.call_site) continue;
        Party other{fiber->call_site, 0, index_, execution.thread_index[fiber->thread]};
        report({.kind = "divergent_barrier", .call_site = first.call_site, .other = other, .block = index_, .thread = thread});
        return;
    }
}

void Block::grid_barrier(const void* call_site) {
    Fiber& self = *current_;
    warp_of(self.thread).stop_reading(self);
    at_grid_barrier_.push_back(&self);
    park(self, Wait::grid, call_site);
}

void Block::open_grid_barrier() {
    for (Fiber* fiber : at_grid_barrier_) ready_.push(fiber);
    at_grid_barrier_.clear();
    if (execution.access.cells) global_races.resume_block(race_number_);  // the new stretch is this block's
    if (!is_watched_) return;
    shared_memory.pass_barrier();
    execution.access.block_epoch = shared_memory.epoch();
}

// ---- warps --------------------------------------------------------------------------------------------------------------

const simt_warp_values& Block::collect(uint32_t mask, uint64_t lo, uint64_t hi, int op, const void* call_site) {
    Fiber& self = *current_;
    Warp& warp = warp_of(self.thread);
    unsigned lane = self.thread % kWarpSize;
    warp.stop_reading(self);
    if (!(mask >> lane & 1)) {
        char note[120];
        snprintf(note, sizeof note, "lane %u calls with mask 0x%08x, which does not name it", lane, mask);
        report({.kind = "bad_mask", .call_site = call_site, .note = note});
        mask |= 1u << lane;
    }
    Collective& group = warp.arrive(lane, mask, op, lo, hi);
    self.reading = &group;
    if (warp.is_full(group)) {
        wake_participants(warp, group);
    } else {
        warp.waiting[lane] = &self;
        park(self, Wait::warp, call_site);
    }
    return group.values;
}

void Block::wake_participants(Warp& warp, Collective& group) {
    uint32_t lanes = warp.complete(group);
    if (execution.access.counted) counting.meet(unsigned(&warp - warps_), lanes, warp.live);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!(lanes >> lane & 1) || !warp.waiting[lane]) continue;  // the last to arrive does not wait
        ready_.push(warp.waiting[lane]);
        warp.waiting[lane] = nullptr;
    }
}

// Lanes are together as far as they can be when no thread can run on: those that then stand at the same call answer as one. The
// hardware may also keep them apart, and in a seeded order some are.
uint32_t Block::active_mask(const void* call_site) {
    Fiber& self = *current_;
    Warp& warp = warp_of(self.thread);
    warp.stop_reading(self);
    if (warp.live == 1u << (self.thread % kWarpSize)) return warp.live;
    asking_mask_.push_back(&self);
    park(self, Wait::active_mask, call_site);
    return self.active_mask;
}

void Block::answer_active_masks() {
    auto party = [this](const Fiber* fiber) { return schedule_.pick(2, mixed(linear_ + picks_) ^ fiber->thread); };
    for (Fiber* fiber : asking_mask_) {
        fiber->active_mask = 0;
        for (Fiber* other : asking_mask_) {
            bool together = other->thread / kWarpSize == fiber->thread / kWarpSize && other->call_site == fiber->call_site &&
                            party(other) == party(fiber);
            if (together) fiber->active_mask |= 1u << (other->thread % kWarpSize);
        }
        ready_.push(fiber);
    }
    asking_mask_.clear();
}

}  // namespace simt

extern "C" void simt_set_exits_reported(int on) { simt::exits_reported = on != 0; }
