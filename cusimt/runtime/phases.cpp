// Barrier objects (cuda::barrier, __mbarrier_t): 8 bytes of shared memory that count arrivals, phase by phase.
//
//   [ phase 24 | arrivals still expected in it 20 | arrivals expected in every phase 20 ]
//
// Threads arrive without waiting and wait without arriving, unlike at __syncthreads. A phase may also expect bytes
// (transactions.h), which bulk copies bring. The end of a phase completes the other asynchronous copies attached to the object. For race detection it orders the whole block, which may hide a race between
// threads that did not arrive, but never invents one.
#include <algorithm>
#include <optional>
#include <string>

#include "block.h"
#include "execution.h"
#include "findings.h"
#include "shared_memory.h"

namespace simt {

namespace {
constexpr uint64_t kCountMask = (1u << 20) - 1, kPhaseMask = (1u << 24) - 1;

struct State {
    uint64_t phase, pending, expected;
};
State load(const uint64_t* barrier) { return {*barrier >> 40, *barrier >> 20 & kCountMask, *barrier & kCountMask}; }
void store(uint64_t* barrier, const State& state) {
    *barrier = (state.phase & kPhaseMask) << 40 | state.pending << 20 | state.expected;
}
// Phases are compared modulo 2^24: one that lies ahead has not ended.
bool has_ended(const uint64_t* barrier, uint64_t phase) {
    uint64_t passed = (load(barrier).phase - phase) & kPhaseMask;
    return passed != 0 && passed <= kPhaseMask / 2;
}
}  // namespace

uint64_t Block::arrive(uint64_t* barrier, uint64_t arrivals, bool drops, const void* call_site) {
    State state = load(barrier);
    uint64_t phase = state.phase;
    if (arrivals > state.pending) {
        report({.kind = "barrier_count", .call_site = call_site, .address = uintptr_t(barrier)});
        arrivals = state.pending;
    }
    state.pending -= arrivals;
    if (drops) state.expected -= std::min(state.expected, arrivals);
    store(barrier, state);
    settle_phase(barrier);
    return phase;
}

void Block::settle_phase(uint64_t* barrier) {
    if (load(barrier).pending == 0 && transactions.is_settled(barrier)) end_phase(barrier);
}

void Block::expect_bytes(uint64_t* barrier, uint64_t bytes, const void* call_site) {
    if (!transactions.expect(barrier, bytes, current_->thread, call_site)) {
        report({.kind = "barrier_count",
                .call_site = call_site,
                .address = uintptr_t(barrier),
                .note = "a phase expects more than 1,048,575 bytes at once"});
    }
    settle_phase(barrier);
}

void Block::bring_bytes(uint64_t* barrier, uint64_t bytes) {
    transactions.bring(barrier, bytes);
    settle_phase(barrier);
}

// The barrier objects with numbers (bar.sync 1, 64): a count holds for one phase.
void Block::named_barrier(unsigned number, unsigned arrivals, bool waits, const void* call_site) {
    uint64_t* barrier = &named_[number % kNamedBarriers];
    State state = load(barrier);
    if (arrivals == 0) arrivals = threads_;
    if (state.pending == state.expected) store(barrier, {state.phase, arrivals, arrivals});
    uint64_t phase = arrive(barrier, 1, false, call_site);
    if (waits) wait_for_phase(barrier, phase, call_site);
}

void Block::end_phase(uint64_t* barrier) {
    State state = load(barrier);
    transactions.forget(barrier);
    note_progress(*worker_);
    copies.land_attached(barrier);
    if (is_watched_) shared_memory.pass_barrier();
    store(barrier, {state.phase + 1, state.expected, state.expected});
    auto is_over = [&](Fiber* fiber) { return fiber->awaited == barrier && has_ended(barrier, fiber->phase); };
    for (Fiber* fiber : at_phase_) {
        if (is_over(fiber)) ready_.push(fiber);
    }
    at_phase_.erase(std::remove_if(at_phase_.begin(), at_phase_.end(), is_over), at_phase_.end());
    enter(*current_);  // what this thread does next lies behind the phase
}

void Block::wait_for_phase(uint64_t* barrier, uint64_t phase, const void* call_site) {
    if (has_ended(barrier, phase)) return;
    Fiber& self = *current_;
    warp_of(self.thread).stop_reading(self);
    self.awaited = barrier;
    self.phase = phase;
    at_phase_.push_back(&self);
    park(self, Wait::phase, call_site);
    self.awaited = nullptr;
}

// A loop that asks must let the others arrive.
bool Block::poll_phase(uint64_t* barrier, uint64_t phase, const void* call_site) {
    if (has_ended(barrier, phase)) return true;
    Fiber& self = *current_;
    self.awaited = barrier;
    self.phase = phase;
    yield(call_site, Turn::in_vain);
    if (!has_ended(barrier, phase)) return false;
    self.awaited = nullptr;
    return true;
}

// What the phase of a barrier object still lacks, and who expects it.
std::string Block::describe_phase(const void* barrier, std::optional<Party>* party) const {
    auto count = [](uint64_t number, const char* what) {
        return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
    };
    const Transactions::Balance* balance = transactions.find(barrier);
    uint64_t pending = load(static_cast<const uint64_t*>(barrier)).pending;
    if (!balance || balance->missing() == 0) return "whose phase lacks " + count(pending, "arrival");
    std::string arrivals = pending ? count(pending, "arrival") + " and " : "";
    if (balance->call_site) *party = Party{balance->call_site, 0, index_, execution.thread_index[balance->thread]};
    if (balance->missing() > 0) {
        return "whose phase lacks " + arrivals + std::to_string(balance->missing()) + " of " +
               count(uint64_t(balance->expected), "byte");
    }
    return "whose phase " + (pending ? "lacks " + count(pending, "arrival") + " and " : "") + "expects " +
           count(uint64_t(balance->expected), "byte") + ", and copies brought " + std::to_string(balance->brought);
}

}  // namespace simt

using namespace simt;

namespace {
void check(const uint64_t* barrier, int kind, const void* pc) {
    if (is_checked_launch()) simt_check_range(barrier, sizeof *barrier, kind, pc);
}
}  // namespace

extern "C" {
void simt_phases_begin(uint64_t* barrier, unsigned expected) {
    check(barrier, WRITE, __builtin_return_address(0));
    running_block->transactions.forget(barrier);
    store(barrier, {0, expected, expected});
}

void simt_phases_end(uint64_t* barrier) {
    check(barrier, READ | WRITE | ATOMIC, __builtin_return_address(0));
    running_block->transactions.forget(barrier);
}

uint64_t simt_phase_arrive(uint64_t* barrier, unsigned arrivals, int drops) {
    check(barrier, READ | WRITE | ATOMIC, __builtin_return_address(0));
    return running_block->arrive(barrier, arrivals, drops, __builtin_return_address(0));
}

void simt_phase_wait(uint64_t* barrier, uint64_t phase) {
    check(barrier, READ | ATOMIC, __builtin_return_address(0));
    running_block->wait_for_phase(barrier, phase & kPhaseMask, __builtin_return_address(0));
}

int simt_phase_has_ended(uint64_t* barrier, uint64_t phase) {
    const void* here = __builtin_return_address(0);
    check(barrier, READ | ATOMIC, here);
    return running_block->poll_phase(barrier, phase & kPhaseMask, here);
}

void simt_phase_expect(uint64_t* barrier, unsigned bytes) {
    check(barrier, READ | WRITE | ATOMIC, __builtin_return_address(0));
    running_block->expect_bytes(barrier, bytes, __builtin_return_address(0));
}

void simt_phase_bring(uint64_t* barrier, unsigned bytes) {
    check(barrier, READ | WRITE | ATOMIC, __builtin_return_address(0));
    running_block->bring_bytes(barrier, bytes);
}

void simt_phase_must_outlast(uint64_t* barrier, unsigned arrivals) {
    if (load(barrier).pending > arrivals) return;
    report({.kind = "barrier_count",
            .call_site = __builtin_return_address(0),
            .address = uintptr_t(barrier),
            .note = "mbarrier.arrive.noComplete ends the phase"});
}

void simt_named_barrier(unsigned number, unsigned threads, int waits) {
    running_block->named_barrier(number, threads, waits, __builtin_return_address(0));
}

uint64_t simt_phase_of(const uint64_t* barrier) { return load(barrier).phase; }
uint64_t simt_phase_pending(const uint64_t* barrier) { return load(barrier).pending; }
}
