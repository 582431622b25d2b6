// The scheduler of one block: starts threads on fibers, and resumes those whose barrier or collective is complete.
#include "block.h"

#include <algorithm>
#include <utility>

#include "counting.h"
#include "execution.h"
#include "global_races.h"
#include "shared_memory.h"
#include "unsettled.h"

namespace simt {

namespace {
constexpr unsigned kPatience = 1024;
}

void Block::begin(Worker& worker, uint3 index, uint64_t linear, unsigned threads, const Schedule& schedule) {
    if (state_ == BlockState::dropped) {  // its fibers stand in the middle of abandoned threads
        ready_.clear();
        idle_.clear();
        at_barrier_.clear();
        at_grid_barrier_.clear();
        at_phase_.clear();
        asking_mask_.clear();
        for (Fiber& fiber : fibers_) {
            fiber.launch = 0;
            fiber.reading = nullptr;
            idle_.push_back(&fiber);
        }
    }
    worker_ = &worker;
    index_ = index;
    linear_ = linear;
    has_turn_ = false;
    threads_ = live_ = threads;
    started_ = yielded_ = turns_in_vain_ = 0;
    turns_ = 0;
    patience_ = kPatience;
    cycles_ = 0;
    picks_ = 0;
    barrier_count_ = 0;
    schedule_ = schedule;
    is_watched_ = is_checked_launch();
    state_ = BlockState::running;
    for (unsigned first = 0; first < threads; first += kWarpSize) {
        unsigned lanes = std::min(kWarpSize, threads - first);
        warps_[first / kWarpSize].reset(lanes == kWarpSize ? ~0u : (1u << lanes) - 1);
    }
    copies.begin_block(threads);
    bulk_copies.begin_block();
    transactions.begin_block();
    proxy_fences.begin_block();
    std::fill(std::begin(named_), std::end(named_), 0);
    if (!is_watched_) return;
    shared_memory.begin_block();
    signals.begin_block();
    if (execution.access.cells) race_number_ = global_races.begin_block(shared_memory.epoch(), linear);
    order.begin_block(race_number_);
}

BlockState Block::run() {
    running_block = this;
    blockIdx = index_;
    if (execution.access.cells) global_races.resume_block(race_number_);
    if (is_watched_ && state_ == BlockState::waiting)
        shared_memory.begin_moment();  // its accesses come after those of the others
    if (state_ != BlockState::awaits_turn) current_ = next(false);
    state_ = BlockState::running;
    simt_access = &execution.access;
    switch_context(host_, current_->context);
    if (is_watched_) unsettled_writes.settle();
    simt_access = &host_access;
    return state_;
}

void Block::drop() {
    state_ = BlockState::dropped;
    switch_context(current_->context, host_);
    __builtin_unreachable();
}

// ---- fibers -----------------------------------------------------------------------------------------------------------

void Block::fiber_main() {
    for (;;) running_block->run_threads(running_block->current());
}

// Makes the state that device code and hooks see that of this fiber's thread.
inline void Block::show_thread(const Fiber& self) {
    threadIdx = execution.thread_index[self.thread];
    if (!is_watched_) return;
    unsettled_writes.settle();
    shared_memory.enter(self.thread, warp_of(self.thread).clocks);
}

void Block::enter(const Fiber& self) { show_thread(self); }

void Block::show_stack(const Fiber& self) {
    if (!is_watched_) return;
    execution.access.quiet_begin = reinterpret_cast<uintptr_t>(self.stack.begin);
    execution.access.quiet_bytes = self.stack.bytes;
}

inline void Block::start_thread(Fiber& self, Worker& worker, unsigned thread) {
    self.thread = thread;
    self.wait = Wait::none;  // the fiber may come from a block that was dropped
    self.atomics = 0;
    self.looks_back.forget();
    self.latest_reads.forget();
    self.polled = nullptr;
    self.awaited = nullptr;
    show_thread(self);
    bool thrown = false;
    try {
        execution.launch->entry(execution.launch->closure);
    } catch (...) {
        exception_ = std::current_exception();
        thrown = true;  // leave the handler first: its state belongs to the OS thread, not to this fiber
    }
    if (thrown) drop_by_exception();
    finish_thread(self, worker);
}

inline void Block::finish_thread(Fiber& self, Worker& worker) {
    Warp& warp = warp_of(self.thread);
    warp.stop_reading(self);
    copies.finish_thread(self.thread);
    bulk_copies.finish_thread(self.thread);
    warp.live &= ~(1u << (self.thread % kWarpSize));
    --live_;
    note_progress(worker);
    while (Collective* group = warp.filled_by_exit()) wake_participants(warp, *group);
    if (!at_barrier_.empty() && at_barrier_.size() == live_) release_barrier();
    if (worker.ends) end_early();
}

// Where no thread waits, this loop is all that happens between two of them, and what it does is what a thread costs. The worker
// stays in a register.
void Block::run_threads(Fiber& self) {
    Worker& worker = *worker_;
    show_stack(self);
    do {
        start_thread(self, worker, unsigned(schedule_.at(started_++, threads_, linear_)));
    } while (started_ < threads_ && ready_.size() <= yielded_);
    idle_.push_back(&self);
    current_ = next(false);
    switch_context(self.context, current_ ? current_->context : host_);
}

Fiber* Block::idle_fiber() {
    if (idle_.empty()) {
        fibers_.emplace_back();
        idle_.push_back(&fibers_.back());
    }
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    // Prepared anew for each launch: a suspended fiber may hold addresses of another OS thread's variables in registers.
    if (fiber->launch != execution.id) {
        fiber->launch = execution.id;
        prepare(fiber->context, fiber->stack.begin, fiber->stack.bytes, fiber_main);
    }
    return fiber;
}

// The fiber that goes on; null: the host, because the block has ended (state_ says how).
Fiber* Block::next(bool prefer_new_threads) {
    bool unstarted = started_ < threads_;
    if (unstarted && (prefer_new_threads || ready_.size() <= yielded_)) return idle_fiber();
    if (ready_.size() <= yielded_) answer_active_masks();
    if (ready_.empty() && bulk_copies.are_coming()) land_awaited();
    if (ready_.empty()) {
        end();
        return nullptr;
    }
    ready_.bring_forward(schedule_.pick(ready_.size(), linear_ + ++picks_));
    Fiber* fiber = ready_.pop();
    if (fiber->wait == Wait::turn) --yielded_;
    return fiber;
}

void Block::park(Fiber& self, Wait wait, const void* call_site) {
    self.wait = wait;
    self.call_site = call_site;
    if (wait != Wait::turn) note_progress(*worker_);
    current_ = next(wait == Wait::turn);
    if (current_ != &self) switch_context(self.context, current_ ? current_->context : host_);
    resume_current();
}

void Block::resume_current() {
    Fiber& self = *current_;
    self.wait = Wait::none;
    show_stack(self);
    enter(self);
    if (worker_->ends) end_early(self.call_site);
}

// All threads have begun, and those that are ready have had their turn.
bool Block::only_waiters() const { return ready_.size() == yielded_ && started_ == threads_ && asking_mask_.empty(); }

// Lets bulk copies arrive for which threads wait; false: there are none.
bool Block::land_awaited() {
    bool landed = current_ && current_->awaited && bulk_copies.land(current_->awaited);
    std::vector<const void*> objects;
    for (const Fiber* fiber : at_phase_) objects.push_back(fiber->awaited);
    for (const void* object : objects) landed = bulk_copies.land(object) || landed;
    return landed;
}

// What a thread sees of other blocks may change for ever without bringing it further, a counter of its own looks for instance,
// so that patience with such changes has an end, which comes sooner every time. Stepping aside is never wrong, only slow.
void Block::yield(const void* call_site, Turn turn) {
    Fiber& self = *current_;
    if (worker_->ends) end_early(call_site);
    if (bulk_copies.are_coming() && only_waiters()) land_awaited();
    bool only_waiters = this->only_waiters();
    if (!only_waiters || turn == Turn::progress) turns_in_vain_ = 0;
    else if (turn == Turn::in_vain) ++turns_in_vain_;
    if (turns_in_vain_ > yielded_) return step_aside(self, call_site, true);  // each of them had its turn
    if (only_waiters && ++turns_ > uint64_t(patience_) * (yielded_ + 1)) {
        patience_ = std::max(patience_ / 2, 1u);
        return step_aside(self, call_site, false);
    }
    if (only_waiters && ready_.empty()) return;
    ready_.push(&self);
    ++yielded_;
    park(self, Wait::turn, call_site);
}

// Nothing in this block changes what its threads wait for, so it must be another one that will. An earlier one may have done so
// by the time that its turn comes.
void Block::step_aside(Fiber& self, const void* call_site, bool in_vain) {
    if (!has_turn_) {
        turns_in_vain_ = 0;
        turns_ = 0;
        return wait_for_turn();
    }
    if (execution.access.counted) counting.end_block();
    turns_in_vain_ = 0;
    turns_ = 0;
    waits_in_vain_ = in_vain;
    self.wait = Wait::turn;
    self.call_site = call_site;
    ready_.push(&self);
    ++yielded_;
    state_ = BlockState::waiting;
    switch_context(self.context, host_);
    resume_current();
}

// The whole block stops, at the thread that runs, and later goes on with it: what its threads see of one another stays as it is.
// It stays stopped where an earlier block was dropped.
void Block::wait_for_turn() {
    state_ = BlockState::awaits_turn;
    switch_context(current_->context, host_);
    show_thread(*current_);
}

void Block::drop_by_exception() {
    await_turn();
    execution.exception = std::exchange(exception_, nullptr);
    drop();
}

// ---- nothing can run --------------------------------------------------------------------------------------------------------

void Block::end() {
    if (execution.access.counted) counting.end_block();
    if (live_ == 0) {
        if (is_watched_) shared_memory.end_block();
        state_ = BlockState::finished;
    } else if (at_grid_barrier_.size() == live_) {
        if (is_watched_) shared_memory.end_block();
        state_ = BlockState::at_grid_barrier;
    } else {
        await_turn();
        diagnose_deadlock();
        execution.error = cudaErrorLaunchFailure;
        state_ = BlockState::dropped;
    }
}

}  // namespace simt
