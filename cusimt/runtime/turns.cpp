// Runs the blocks of a grid in turns where they wait for one another.
#include "turns.h"

#include <string.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "device_limits.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "sample.h"
#include "shared_memory.h"

namespace simt {

namespace {
// Threads of blocks that wait for a flag at the same time; each has a stack. A GPU has room for more, but a kernel that needs
// more does not run on a smaller one either.
constexpr uint64_t kMostWaitingThreads = 65536;
// After so many, during which no thread has seen anything new, none will. They are thousands of looks of each thread, since a
// thread may also do work that changes nothing, such as adding zeros.
constexpr unsigned kMostRoundsInVain = 64;

// A block that stepped aside, with its shared memory: there is room for one block's at a time. Of the dynamic array, which lies
// anywhere in the range, only the bytes of this launch are kept.
struct Resident {
    std::unique_ptr<Block> block;
    std::vector<char> before{}, dynamic{}, after{};
    SharedMemory::Suspended written{};

    static void keep(std::vector<char>& copy, uintptr_t begin, uintptr_t end) {
        copy.assign(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end));
    }
    void suspend() {
        written = shared_memory.suspend();
        uintptr_t array = shared_memory.dynamic_begin(), array_end = array + kSharedPerBlockOptin;
        keep(before, shared_memory.begin(), array);
        keep(dynamic, array, array + shared_memory.dynamic_bytes());
        keep(after, array_end, shared_memory.begin() + shared_memory.bytes());
    }
    void resume() const {
        shared_memory.resume(written);
        uintptr_t array = shared_memory.dynamic_begin();
        memcpy(reinterpret_cast<char*>(shared_memory.begin()), before.data(), before.size());
        memcpy(reinterpret_cast<char*>(array), dynamic.data(), dynamic.size());
        memcpy(reinterpret_cast<char*>(array + kSharedPerBlockOptin), after.data(), after.size());
    }
};

// A block keeps its fibers and their stacks from launch to launch.
std::unique_ptr<Block> spare_block;

class Turns {
  public:
    Turns(const simt_launch& launch, const Schedule& schedule) : launch_(launch), schedule_(schedule) {
        blocks_ = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
        threads_ = launch.block[0] * launch.block[1] * launch.block[2];
        sample_ = sample_of(launch, blocks_);
        to_run_ = sample_.empty() ? blocks_ : sample_.size();
    }
    void run();

  private:
    bool has_room() const { return (waiting_.size() + 1) * threads_ <= kMostWaitingThreads; }
    uint64_t block_at(uint64_t position) const;
    void run_all();
    void start(uint64_t linear);
    void run_waiting();
    void pass_grid_barrier();
    void take_turn(std::unique_ptr<Block> block);

    const simt_launch& launch_;
    const Schedule& schedule_;
    uint64_t blocks_ = 0, to_run_ = 0;
    std::vector<uint64_t> sample_, rest_;  // where not all blocks run, or not at first
    unsigned threads_ = 0;
    bool dropped_ = false;
    std::vector<Resident> waiting_, at_grid_barrier_;
    unsigned rounds_in_vain_ = 0;  // of all blocks that wait, one after the other
};

void Turns::run() {
    uint64_t next = 0;
    while (!dropped_) {
        if (next < to_run_ && has_room()) {
            size_t waited = waiting_.size();
            start(block_at(next++));
            // What these wait for, a block may set that has yet to start.
            rounds_in_vain_ = 0;
            if (waited == 0 || waiting_.size() > waited) continue;  // no block waits, or this one does: start another
        } else if (waiting_.empty() && at_grid_barrier_.empty()) {
            execution.blocks_run = next;
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

void Turns::start(uint64_t linear) {
    auto block = spare_block ? std::move(spare_block) : std::make_unique<Block>();
    block->begin(block_index(launch_, linear), linear, threads_, schedule_);
    take_turn(std::move(block));
}

void Turns::take_turn(std::unique_ptr<Block> block) {
    BlockState state = block->run();
    execution.cycles = std::max(execution.cycles, execution.block_cycles);
    if (state == BlockState::waiting || state == BlockState::at_grid_barrier) {
        auto& list = state == BlockState::waiting ? waiting_ : at_grid_barrier_;
        list.push_back({std::move(block)});
        list.back().suspend();
        if (state == BlockState::waiting) global_races.begin_turns(), run_all();
        return;
    }
    dropped_ = state == BlockState::dropped;
    spare_block = std::move(block);
}

// From the latest to the first, and next time the other way round: chains of blocks that wait for their neighbours exist in
// both directions.
void Turns::run_waiting() {
    std::vector<Resident> residents = std::exchange(waiting_, {});
    uint64_t progress = execution.progress;
    for (; !residents.empty() && !dropped_; residents.pop_back()) {
        residents.back().resume();
        take_turn(std::move(residents.back().block));
    }
    auto in_vain = [](const Resident& resident) { return resident.block->waits_in_vain(); };
    bool all_in_vain = progress == execution.progress && std::all_of(waiting_.begin(), waiting_.end(), in_vain);
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

void run_grid(const simt_launch& launch, const Schedule& schedule) { Turns(launch, schedule).run(); }

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
    execution.block->grid_barrier(__builtin_return_address(0));
}
