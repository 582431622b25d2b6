// One block of threads and its scheduler.
//
// A fiber runs one thread after another, as long as they finish. A thread that waits (barrier, collective) parks its fiber,
// and another fiber continues with the remaining threads. So a kernel without barriers needs no switch at all, and one with
// barriers one switch per thread and barrier.
#pragma once
#include <stdint.h>

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async_copies.h"
#include "bulk_copies.h"
#include "proxies.h"
#include "release_order.h"
#include "schedule.h"
#include "signals.h"
#include "transactions.h"
#include "vector_types.h"
#include "warp.h"
#include "worker.h"

namespace simt {

constexpr unsigned kMaxBlockThreads = 1024;
constexpr unsigned kNamedBarriers = 16;

// `waiting`: its threads wait for other blocks.
// Why a thread lets others run: it waits for something and saw it change; it waits, and nothing changed since its last turn;
// or it does not say what it waits for, if for anything.
enum class Turn { progress, in_vain, courtesy };

// `awaits_turn`: a thread is about to do what other blocks may notice, and earlier blocks have not ended.
enum class BlockState { running, finished, dropped, at_grid_barrier, waiting, awaits_turn };

// Fibers waiting for their turn, first in, first out.
class ReadyQueue {
  public:
    bool empty() const { return size_ == 0; }
    unsigned size() const { return size_; }
    void clear() { size_ = 0; }
    void push(Fiber* fiber) { slots_[(head_ + size_++) % kMaxBlockThreads] = fiber; }
    Fiber* pop() {
        Fiber* fiber = slots_[head_];
        head_ = (head_ + 1) % kMaxBlockThreads;
        --size_;
        return fiber;
    }
    // Brings the fiber at `position` to the front: the seeded random schedule.
    void bring_forward(unsigned position) { std::swap(slots_[head_], slots_[(head_ + position) % kMaxBlockThreads]); }

  private:
    Fiber* slots_[kMaxBlockThreads];
    unsigned head_ = 0, size_ = 0;
};

class Block {
  public:
    // Starts block `index` with fresh threads on a worker, where it stays; `linear` numbers it within the grid.
    void begin(Worker& worker, uint3 index, uint64_t linear, unsigned threads, const Schedule& schedule);
    // Runs until every thread has exited, the block is dropped, all its threads wait at the grid's barrier, or it needs its turn.
    BlockState run();
    void open_grid_barrier();
    // Its turn has come: what it does is in order.
    void give_turn() { has_turn_ = true; }
    bool has_turn() const { return has_turn_; }
    void abandon() { state_ = BlockState::dropped; }

    // ---- called on a fiber, by the running thread ----
    int barrier(int predicate, int op, const void* call_site);
    const simt_warp_values& collect(uint32_t mask, uint64_t lo, uint64_t hi, int op, const void* call_site);
    uint32_t active_mask(const void* call_site);
    void grid_barrier(const void* call_site);
    // Lets others run.
    void yield(const void* call_site, Turn turn = Turn::courtesy);
    // Barrier objects: arrives, and answers the phase in which; waits until that has ended.
    uint64_t arrive(uint64_t* barrier, uint64_t arrivals, bool drops, const void* call_site);
    void wait_for_phase(uint64_t* barrier, uint64_t phase, const void* call_site);
    bool poll_phase(uint64_t* barrier, uint64_t phase, const void* call_site);
    void expect_bytes(uint64_t* barrier, uint64_t bytes, const void* call_site);
    void bring_bytes(uint64_t* barrier, uint64_t bytes);
    void named_barrier(unsigned number, unsigned arrivals, bool waits, const void* call_site);
    // Before what other blocks may notice: an atomic, a poll, printf, the heap, whatever ends the launch. Goes on when each
    // earlier block has ended or stepped aside, so that effects have one order, on however many workers. The threads of a block
    // never see that it waits. Not under any lock.
    void await_turn() {
        if (!has_turn_) wait_for_turn();
    }
    void await_turn_for(const void* address) {  // unless only its own threads reach it
        if (!has_turn_ && !is_shared(reinterpret_cast<uintptr_t>(address))) wait_for_turn();
    }
    // Abandons the block: no thread of it runs again. Findings never unwind device code, they leave it.
    [[noreturn]] void drop();

    Fiber& current() { return *current_; }
    Warp& warp_of(unsigned thread) { return warps_[thread / kWarpSize]; }
    uint3 index() const { return index_; }
    uint64_t linear() const { return linear_; }
    // Of a block that waits: no thread of it has seen anything new in this turn.
    bool waits_in_vain() const { return waits_in_vain_; }
    void diagnose_wait(unsigned blocks) const;
    Worker& worker() const { return *worker_; }
    bool is_shared(uintptr_t address) const { return worker_->is_shared(address); }
    uint64_t cycles() const { return cycles_; }
    // What clock64() shows. Time passes with every look.
    uint64_t look_at_clock() { return cycles_ += 64; }
    unsigned exited() const { return threads_ - live_; }
    unsigned threads() const { return threads_; }

    AsyncCopies copies;
    BulkCopies bulk_copies;
    Transactions transactions;
    ProxyFences proxy_fences;
    Signals signals;
    ReleaseOrder order;

  private:
    static void fiber_main();
    void run_threads(Fiber& self);
    void start_thread(Fiber& self, Worker& worker, unsigned thread);
    void finish_thread(Fiber& self, Worker& worker);
    void park(Fiber& self, Wait wait, const void* call_site);
    void note_progress(Worker& worker) {  // a thread got further than its wait
        turns_in_vain_ = 0;
        turns_ = 0;
        ++worker.progress;
    }
    bool only_waiters() const;
    bool land_awaited();
    void step_aside(Fiber& self, const void* call_site, bool in_vain);
    __attribute__((noinline)) void wait_for_turn();
    [[noreturn]] void drop_by_exception();
    void resume_current();
    void enter(const Fiber& self);
    void show_thread(const Fiber& self);
    void show_stack(const Fiber& self);
    Fiber* next(bool prefer_new_threads);
    Fiber* idle_fiber();
    void end();
    void answer_active_masks();
    void diagnose_deadlock();
    void report_polled_phase(const Fiber& first) const;
    void release_barrier();
    void end_phase(uint64_t* barrier);
    void settle_phase(uint64_t* barrier);  // ends it if it lacks nothing
    std::string describe_phase(const void* barrier, std::optional<struct Party>* party) const;
    void note_divergence();
    void wake_participants(Warp& warp, Collective& group);

    Worker* worker_ = nullptr;
    uint3 index_{};
    uint64_t linear_ = 0;
    bool has_turn_ = true;
    uint32_t race_number_ = 0;  // by which the race checks know it
    unsigned threads_ = 0, started_ = 0, live_ = 0, yielded_ = 0;
    uint64_t cycles_ = 0;         // that clock64() has shown: it does not stop while other blocks have their turn
    unsigned turns_in_vain_ = 0;  // since anything changed
    uint64_t turns_ = 0;          // in which threads only waited, since one got further
    unsigned patience_ = 0;       // after how many of them, for each thread that waits, the block steps aside in any case
    bool waits_in_vain_ = false;
    bool is_watched_ = false;  // by the hooks of a checked module
    BlockState state_ = BlockState::finished;
    Schedule schedule_;
    uint64_t picks_ = 0;  // of the schedule: each is another
    std::exception_ptr exception_;
    Context host_;
    Fiber* current_ = nullptr;
    ReadyQueue ready_;
    std::vector<Fiber*> idle_;
    std::deque<Fiber> fibers_;  // a deque: their addresses stay
    Warp warps_[kMaxBlockThreads / kWarpSize];
    std::vector<Fiber*> at_barrier_, at_grid_barrier_, at_phase_, asking_mask_;
    uint64_t named_[kNamedBarriers] = {};
    int barrier_count_ = 0, barrier_result_[3] = {};
};

}  // namespace simt
