// The workers of a launch: which block each takes, and whose turn it is.
#include "crew.h"

#include <signal.h>

#include <algorithm>
#include <chrono>

#include "execution.h"
#include "faults.h"

namespace simt {

namespace {
constexpr auto kBetweenKicks = std::chrono::milliseconds(5);
}

Crew::Crew(const simt_launch& launch, Turns turns, uint64_t first, uint64_t end, uint64_t share)
    : launch_(launch), turns_(std::move(turns)), end_(end), share_(share), next_(first) {}

// Deleted by whichever sets `is_met` second: its OS thread, or the end of the launch. On a busy machine a launch may end before
// the thread has begun, and does not wait for it.
struct Crew::Helper {
    Crew* crew;
    Worker* worker;
    std::atomic<bool> is_met{false};

    Helper(Crew* its_crew, Worker* its_worker) : crew(its_crew), worker(its_worker) {}  // clang 15 makes none of its own
};

namespace {
// A process's signals are for the threads that it knows: a worker takes those that its own instructions cause, and the kick.
void block_signals(sigset_t& before) {
    sigset_t blocked;
    sigfillset(&blocked);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, kWatchdogSignal}) sigdelset(&blocked, own);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
}
}  // namespace

bool Crew::run(Worker& own, unsigned others) {
    own.thread = pthread_self();
    workers_.push_back(&own);
    execution.has_workers = true;
    install_watchdog();
    start_helpers(others);
    work(own);
    end_helpers();
    execution.has_workers = false;
    return !dropped_;
}

// Under the lock: nobody looks through the workers before all are known.
void Crew::start_helpers(unsigned count) {
    std::lock_guard lock(lock_);
    sigset_t mask;
    block_signals(mask);
    for (unsigned number = 1; number <= count; ++number) {
        Worker& further = worker(number);
        auto helper = std::make_unique<Helper>(this, &further);
        // The system may have no more: fewer will do.
        if (pthread_create(&further.thread, nullptr, run_helper, helper.get()) != 0) break;
        helpers_.push_back(helper.release());
        workers_.push_back(&further);
    }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void Crew::end_helpers() {
    for (Helper* helper : helpers_) {
        Worker& further = *helper->worker;
        if (!helper->is_met.exchange(true)) {
            pthread_detach(further.thread);
            continue;
        }
        pthread_join(further.thread, nullptr);
        workers_.front()->cycles = std::max(workers_.front()->cycles, further.cycles);
        delete helper;
    }
}

void* Crew::run_helper(void* argument) {
    auto* helper = static_cast<Helper*>(argument);
    if (helper->is_met.exchange(true)) {
        delete helper;
        return nullptr;
    }
    Worker& self = *helper->worker;
    Crew& crew = *helper->crew;
    simt_set_device(execution.device);
    enter_launch(self, crew.launch_);
    FaultGuard guard(FaultGuard::kOfHelper);
    self.usefulness.begin();
    crew.work(self);
    return nullptr;
}

void Crew::work(Worker& self) {
    {
        std::lock_guard lock(lock_);
        self.has_left = self.is_at_rest = self.waits = false;
        self.unbegun = Worker::kNone;
        self.share_end = 0;
    }
    while (take(self)) {
        turns_.begin(self, self.position);
        BlockState state = self.block->run();
        while (state == BlockState::awaits_turn && wait_for_turn(self)) {
            self.block->give_turn();
            state = self.block->run();
        }
        self.cycles = std::max(self.cycles, self.block->cycles());
        if (state == BlockState::finished) continue;
        if (state == BlockState::awaits_turn) serve(self);
        else if (state == BlockState::waiting) end(!turns_.conduct(self, self.position), self);
        else if (self.block->has_turn()) end(true, self);
        break;
    }
    leave(self);
}

bool Crew::take(Worker& self) {
    if (!takes_) return false;
    uint64_t following = self.position + 1;
    bool has_one = following < self.share_end;
    if (has_one) self.position = following;
    else has_one = take_share(self);
    if (waiting_) {
        std::lock_guard lock(lock_);
        announce();
    }
    return has_one;
}

// The position is set to a lower bound before blocks are taken, so that a worker at a later position sees this one unfinished.
bool Crew::take_share(Worker& self) {
    uint64_t share = share_;
    bool is_helper = &self != workers_.front();
    if (is_helper && self.usefulness.is_lost()) return false;
    self.position = next_.load();
    uint64_t taken = next_.fetch_add(share);
    self.position = taken < end_ ? taken : Worker::kNone;
    self.share_end = taken < end_ ? std::min(taken + share, end_) : 0;
    return taken < end_;
}

// Leaves the blocks of its share that it has not begun to the conductor. Call it with `lock_` held.
void Crew::give_up_share(Worker& self) { self.unbegun = self.position + 1; }

void Crew::leave(Worker& self) {
    std::lock_guard lock(lock_);
    if (self.position != Worker::kNone) give_up_share(self);
    self.position = Worker::kNone;
    self.has_left = true;
    announce();
}

// A block has ended: to whom its turn goes, and to the conductor.
void Crew::announce() {
    news_.notify_all();
    for (Worker* each : workers_) {
        if (each->waits && is_first(*each)) each->wake.notify_one();
    }
}

bool Crew::is_first(const Worker& self) const {
    return std::all_of(workers_.begin(), workers_.end(),
                       [&](const Worker* each) { return each == &self || each->position > self.position; });
}

// False: it will not come in this way, because a block stepped aside or was dropped.
bool Crew::wait_for_turn(Worker& self) {
    std::unique_lock lock(lock_);
    ++waiting_;  // from now on others announce what they do
    auto comes = [&] { return !takes_ || is_first(self); };
    if (!comes()) {
        share_ = 1;
        self.usefulness.begin_wait();
        self.waits = true;
        self.wake.wait(lock, comes);
        self.waits = false;
        self.usefulness.end_wait();
    }
    --waiting_;
    return takes_;
}

void Crew::serve(Worker& self) {
    std::unique_lock lock(lock_);
    self.is_at_rest = true;
    give_up_share(self);
    news_.notify_all();
    for (;;) {
        self.wake.wait(lock, [&] { return is_over_ || self.job; });
        if (!self.job) break;
        lock.unlock();
        BlockState state = self.job->run();
        lock.lock();
        self.answer = state;
        self.job = nullptr;
        news_.notify_all();
    }
    self.is_at_rest = false;
    if (self.block) self.block->abandon();
}

uint64_t Crew::stop_taking(Worker& conductor) {
    std::lock_guard lock(lock_);
    takes_ = false;
    uint64_t taken = std::min(next_.exchange(end_), end_);
    give_up_share(conductor);
    conductor.position = Worker::kNone;
    for (Worker* each : workers_) each->wake.notify_one();
    return taken;
}

std::pair<Crew::Begun, std::unique_ptr<Block>> Crew::begun(uint64_t position) {
    std::unique_lock lock(lock_);
    Worker* found = nullptr;
    ++waiting_;
    news_.wait(lock, [&] {
        bool has_ended = true;
        for (Worker* each : workers_) {
            if (each->position <= position) has_ended = false;
            if (each->position == position && each->is_at_rest) found = each;
        }
        return found || has_ended;
    });
    --waiting_;
    if (found) {
        found->position = Worker::kNone;
        return {Begun::waits, std::move(found->block)};
    }
    bool is_left = std::any_of(workers_.begin(), workers_.end(),
                               [&](const Worker* each) { return each->unbegun <= position && position < each->share_end; });
    return {is_left ? Begun::not_yet : Begun::ended, nullptr};
}

BlockState Crew::run_on(Worker& worker, Block& block) {
    std::unique_lock lock(lock_);
    worker.job = &block;
    worker.wake.notify_one();
    news_.wait(lock, [&] { return !worker.job; });
    return worker.answer;
}

void Crew::end(bool dropped, const Worker& self) {
    std::unique_lock lock(lock_);
    takes_ = false;
    is_over_ = true;
    dropped_ = dropped;
    for (Worker* each : workers_) {
        if (dropped) each->ends = kDropped;
        each->wake.notify_one();
    }
    auto alone = [&] {
        return std::all_of(workers_.begin(), workers_.end(),
                           [&](const Worker* each) { return each == &self || each->has_left; });
    };
    while (dropped && !news_.wait_for(lock, kBetweenKicks, alone)) {
        for (Worker* each : workers_) {
            if (each != &self && !each->has_left) pthread_kill(each->thread, kWatchdogSignal);
        }
    }
}

}  // namespace simt
