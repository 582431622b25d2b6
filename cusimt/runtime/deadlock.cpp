// Explains why no thread of a block can continue.
#include <stdio.h>

#include "block.h"
#include "execution.h"
#include "findings.h"

namespace simt {

namespace {
Fiber* waiting_fiber(const Warp& warp, uint32_t lanes) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (lanes >> lane & 1 && warp.waiting[lane]) return warp.waiting[lane];
    }
    return nullptr;
}

// Two groups of one warp that name the same lanes but differ in mask or operation wait for each other.
bool report_conflicting_groups(const Warp& warp, uint3 block) {
    const auto& groups = warp.pending();
    for (size_t i = 0; i < groups.size(); ++i) {
        for (size_t j = i + 1; j < groups.size(); ++j) {
            if (!(groups[i]->mask & groups[j]->mask & warp.live)) continue;
            Fiber* a = waiting_fiber(warp, groups[i]->values.participants);
            Fiber* b = waiting_fiber(warp, groups[j]->values.participants);
            if (!a || !b) continue;
            char note[160];
            snprintf(note, sizeof note, "lanes 0x%08x wait with mask 0x%08x, lanes 0x%08x with mask 0x%08x%s",
                     groups[i]->values.participants, groups[i]->mask, groups[j]->values.participants, groups[j]->mask,
                     groups[i]->op == groups[j]->op ? "" : " in another operation");
            Party other{b->call_site, 0, block, execution.thread_index[b->thread]};
            report({.kind = "bad_mask",
                    .call_site = a->call_site,
                    .other = other,
                    .note = note,
                    .block = block,
                    .thread = execution.thread_index[a->thread]});
            return true;
        }
    }
    return false;
}
}  // namespace

void Block::diagnose_deadlock() {
    Fiber* lane = nullptr;
    unsigned lanes_waiting = 0;
    for (unsigned first = 0; first < threads_; first += kWarpSize) {
        Warp& warp = warp_of(first);
        if (report_conflicting_groups(warp, index_)) return;
        for (Fiber* fiber : warp.waiting) {
            if (!fiber) continue;
            ++lanes_waiting;
            if (!lane) lane = fiber;
        }
    }
    Fiber* first = lane                        ? lane
                   : !at_barrier_.empty()      ? at_barrier_.front()
                   : !at_grid_barrier_.empty() ? at_grid_barrier_.front()
                                               : at_phase_.front();
    std::optional<Party> other;
    if (lane && !at_barrier_.empty()) {
        Fiber* b = at_barrier_.front();
        other = Party{b->call_site, 0, index_, execution.thread_index[b->thread]};
    }
    std::string note;
    auto count = [&](size_t threads, const char* where) {
        if (threads == 0) return;
        std::string verb = threads == 1 ? " thread waits " : " threads wait ";
        note += (note.empty() ? "" : ", ") + std::to_string(threads) + (note.empty() ? verb : " ") + where;
    };
    count(at_barrier_.size(), "in a block barrier");
    count(lanes_waiting, "in a warp operation");
    const void* object = at_phase_.empty() ? nullptr : at_phase_.front()->awaited;
    std::string lacking = object && transactions.find(object) ? ", " + describe_phase(object, &other) : "";
    count(at_phase_.size(), ("at a barrier object" + lacking).c_str());
    count(at_grid_barrier_.size(), "in the grid's barrier");
    if (exited()) note += "; " + std::to_string(exited()) + (exited() == 1 ? " has returned" : " have returned");
    report({.kind = "deadlock",
            .call_site = first->call_site,
            .other = other,
            .note = note,
            .block = index_,
            .thread = execution.thread_index[first->thread]});
}

// Of threads that ask for the end of a phase in loops.
void Block::report_polled_phase(const Fiber& first) const {
    size_t waiting = 0;
    for (const Fiber& fiber : fibers_) waiting += fiber.launch == execution.id && fiber.awaited == first.awaited;
    std::optional<Party> other;
    std::string note = waiting == 1 ? "1 thread waits" : std::to_string(waiting) + " threads wait";
    note += " at a barrier object, " + describe_phase(first.awaited, &other);
    report({.kind = "deadlock",
            .call_site = first.call_site,
            .other = other,
            .note = note,
            .block = index_,
            .thread = execution.thread_index[first.thread],
            .is_left = true});
}

// All threads of all blocks poll, and no value that they poll has changed for many rounds.
void Block::diagnose_wait(unsigned blocks) const {
    const Fiber* first = nullptr;
    for (const Fiber& fiber : fibers_) {
        if (fiber.wait == Wait::turn && fiber.launch == execution.id && (!first || fiber.thread < first->thread))
            first = &fiber;
    }
    if (first && first->awaited) return report_polled_phase(*first);
    auto address = reinterpret_cast<uintptr_t>(first ? first->polled : nullptr);
    bool in_arena = arena.region(address) >= 0;
    std::string note = blocks == 1 ? "1 block waits" : std::to_string(blocks) + " blocks wait";
    report({.kind = "deadlock",
            .call_site = first ? first->call_site : nullptr,
            .access = address ? READ : 0,
            .bytes = first ? first->polled_bytes : 0,
            .address = address,
            .space = in_arena ? "global" : nullptr,
            .allocation = in_arena ? nearest_allocation(address) : std::nullopt,
            .note = note + " for a value that no thread changes",
            .block = index_,
            .thread = execution.thread_index[first ? first->thread : 0],
            .is_left = true});
}

}  // namespace simt
