// Runs the blocks of a grid in turns where they wait for one another.
#include "turns.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "crew.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "resident.h"
#include "sample.h"
#include "shared_memory.h"
#include "sharing.h"

namespace simt {

namespace {
// Threads of blocks that wait for a flag at the same time; each has a stack. A GPU has room for more, but a kernel that needs
// more does not run on a smaller one either.
constexpr uint64_t kMostWaitingThreads = 65536;
// After so many, during which no thread has seen anything new, none will. They are thousands of looks of each thread, since a
// thread may also do work that changes nothing, such as adding zeros.
constexpr unsigned kMostRoundsInVain = 64;

class Turns {
  public:
    Turns(const simt_launch& launch, const Schedule& schedule) : launch_(launch), schedule_(schedule) {
        blocks_ = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
        threads_ = launch.block[0] * launch.block[1] * launch.block[2];
        sample_ = sample_of(launch, blocks_);
        to_run_ = sample_.empty() ? blocks_ : sample_.size();
        enter_launch(*here_, launch);
        if (sample_.empty() && may_share(launch, schedule)) sharing_.emplace(to_run_);
    }
    void run();

  private:
    bool has_room() const { return (waiting_.size() + 1) * threads_ <= kMostWaitingThreads; }
    uint64_t block_at(uint64_t position) const;
    void run_all();
    void begin(Worker& worker, uint64_t position);
    void start(uint64_t position);
    void share(unsigned helpers);
    bool conduct(Worker& worker, uint64_t position);
    void run_waiting();
    void pass_grid_barrier();
    BlockState run_in_turn(Block& block);
    void take_turn(std::unique_ptr<Block> block);

    const simt_launch& launch_;
    const Schedule& schedule_;
    uint64_t blocks_ = 0, to_run_ = 0, next_ = 0;
    std::vector<uint64_t> sample_, rest_;  // where not all blocks run, or not at first
    unsigned threads_ = 0;
    bool dropped_ = false;
    std::vector<Resident> waiting_, at_grid_barrier_;
    unsigned rounds_in_vain_ = 0;  // of all blocks that wait, one after the other
    Worker* here_ = &worker(0);    // whose OS thread this is
    std::optional<Sharing> sharing_;
    Crew* crew_ = nullptr;  // that has shared the blocks up to here
    uint64_t taken_ = 0;    // by it: those of earlier positions may have begun
};

void Turns::run() {
    while (!dropped_) {
        if (next_ < to_run_ && has_room()) {
            size_t waited = waiting_.size();
            if (sharing_ && sharing_->is_due(next_) && waited == 0) {
                if (unsigned helpers = sharing_->helpers(next_)) {
                    share(helpers);
                    continue;
                }
            }
            start(next_++);
            // What these wait for, a block may set that has yet to start.
            rounds_in_vain_ = 0;
            if (waited == 0 || waiting_.size() > waited) continue;  // no block waits, or this one does: start another
        } else if (waiting_.empty() && at_grid_barrier_.empty()) {
            execution.blocks_run = next_;
            return;
        } else if (waiting_.empty()) {
            pass_grid_barrier();
        }
        run_waiting();
    }
}

uint64_t Turns::block_at(uint64_t position) const {
    if (sample_.empty()) return schedule_.at(position, blocks_, 0);
    if (position < sample_.size()) return sample_[schedule_.at(position, sample_.size(), 0)];
    return rest_[position - sample_.size()];
}

// What a block of the sample waits for, a block outside it may set.
void Turns::run_all() {
    if (to_run_ == blocks_) return;
    to_run_ = blocks_;
    for (uint64_t position = 0; position < blocks_; ++position) {
        uint64_t linear = schedule_.at(position, blocks_, 0);
        if (!std::binary_search(sample_.begin(), sample_.end(), linear)) rest_.push_back(linear);
    }
}

void Turns::begin(Worker& worker, uint64_t position) {
    if (!worker.block) worker.block = std::make_unique<Block>();
    uint64_t linear = block_at(position);
    worker.block->begin(worker, block_index(launch_, linear), linear, threads_, schedule_);
}

void Turns::start(uint64_t position) {
    if (position < taken_) {
        auto [state, begun] = crew_->begun(position);
        if (begun) take_turn(std::move(begun));
        if (state != Crew::Begun::not_yet) return;
    }
    begin(*here_, position);
    if (sharing_ && sharing_->is_sample(position)) sharing_->begin_sample();
    else here_->block->give_turn();
    take_turn(std::move(here_->block));
}

void Turns::share(unsigned helpers) {
    uint64_t share = sharing_->share();
    sharing_.reset();
    Crew crew(launch_,
              {[this](Worker& worker, uint64_t position) { begin(worker, position); },
               [this](Worker& worker, uint64_t position) { return conduct(worker, position); }},
              next_, to_run_, share);
    crew_ = &crew;
    dropped_ = !crew.run(*here_, helpers);
    next_ = to_run_;
}

// On the OS thread of another worker, maybe, while that of the launch only serves it.
bool Turns::conduct(Worker& worker, uint64_t position) {
    Worker* before = std::exchange(here_, &worker);
    taken_ = crew_->stop_taking(worker);
    next_ = position + 1;
    waiting_.emplace_back(std::move(worker.block));
    run();
    here_ = before;
    return !dropped_;
}

BlockState Turns::run_in_turn(Block& block) {
    if (&block.worker() != here_) {
        block.give_turn();
        return crew_->run_on(block.worker(), block);
    }
    BlockState state = block.run();
    if (state != BlockState::awaits_turn) return state;
    sharing_->note_effect();
    block.give_turn();
    return block.run();
}

void Turns::take_turn(std::unique_ptr<Block> block) {
    BlockState state = run_in_turn(*block);
    Worker& worker = block->worker();
    worker.cycles = std::max(worker.cycles, block->cycles());
    if (state == BlockState::waiting || state == BlockState::at_grid_barrier) {
        auto& list = state == BlockState::waiting ? waiting_ : at_grid_barrier_;
        list.emplace_back(std::move(block));
        if (state == BlockState::waiting) global_races.begin_turns(), run_all();
        return;
    }
    dropped_ = state == BlockState::dropped;
    worker.block = std::move(block);
}

// From the latest to the first, and next time the other way round: chains of blocks that wait for their neighbours exist in
// both directions.
void Turns::run_waiting() {
    std::vector<Resident> residents = std::exchange(waiting_, {});
    bool has_progress = false;
    for (; !residents.empty() && !dropped_; residents.pop_back()) {
        residents.back().resume();
        const Worker& worker = residents.back().block->worker();
        uint64_t progress = worker.progress;
        take_turn(std::move(residents.back().block));
        has_progress |= progress != worker.progress;
    }
    auto in_vain = [](const Resident& resident) { return resident.block->waits_in_vain(); };
    bool all_in_vain = !has_progress && std::all_of(waiting_.begin(), waiting_.end(), in_vain);
    rounds_in_vain_ = all_in_vain ? rounds_in_vain_ + 1 : 0;
    if (rounds_in_vain_ < kMostRoundsInVain || waiting_.empty() || dropped_) return;
    waiting_.front().block->diagnose_wait(unsigned(waiting_.size()));
    execution.error = cudaErrorLaunchTimeout;
    dropped_ = true;
}

void Turns::pass_grid_barrier() {
    if (at_grid_barrier_.size() < blocks_) {
        report({.kind = "divergent_barrier",
                .note = "blocks ended before the grid barrier at which others wait",
                .block = uint3{},
                .thread = uint3{}});
    }
    global_races.pass_grid_barrier(shared_memory.next_epoch());
    for (Resident& resident : std::exchange(at_grid_barrier_, {})) {
        if (dropped_) return;
        resident.resume();
        resident.block->open_grid_barrier();
        take_turn(std::move(resident.block));
    }
}
}  // namespace

void run_grid(const simt_launch& launch, const Schedule& schedule) {
    Turns(launch, schedule).run();
    execution.cycles = worker(0).cycles;
}

uint3 block_index(const simt_launch& launch, uint64_t linear) {
    uint64_t row = uint64_t(launch.grid[0]), plane = row * launch.grid[1];
    return {unsigned(linear % row), unsigned(linear / row % launch.grid[1]), unsigned(linear / plane)};
}

}  // namespace simt

extern "C" void simt_grid_barrier(void) {
    using namespace simt;
    if (!execution.launch->cooperative) {
        report({.kind = "invalid_launch",
                .call_site = __builtin_return_address(0),
                .note = "a grid barrier needs a cooperative launch (cudaLaunchCooperativeKernel)"});
        fail_launch(cudaErrorLaunchFailure);
    }
    running_block->grid_barrier(__builtin_return_address(0));
}
