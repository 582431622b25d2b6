// Several workers that share the blocks of one launch, each an OS thread.
//
// A worker takes the next block of the schedule and runs it until it ends or does what other blocks may notice. There the block
// waits for its turn, which comes when all earlier ones have ended, and from there on the others wait for it. So effects have
// the order that one worker gives them, and what blocks compute before their first effect they compute at the same time.
//
// A block that steps aside waits for a later one. Its worker conducts from then on: it takes the blocks through their turns as
// one worker does alone (turns.cpp), and lets the others only run those that they have begun. No worker takes another.
//
// Where a block in its turn is dropped, the others are abandoned, at the latest when a signal meets them in the program's lines.
#pragma once
#include <stdint.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "block.h"
#include "simt_api.h"
#include "worker.h"

namespace simt {

class Crew {
  public:
    // What a crew leaves to the turns of the grid. `begin` starts the block of a position of the schedule on a worker. `conduct`
    // takes over where the block of `position` stepped aside, and returns when all have ended or one was dropped: whether none was.
    struct Turns {
        std::function<void(Worker&, uint64_t position)> begin;
        std::function<bool(Worker&, uint64_t position)> conduct;
    };
    // For the blocks from position `first` on, to `end`. A worker takes `share` of them at a time, until one waits for a turn.
    Crew(const simt_launch& launch, Turns turns, uint64_t first, uint64_t end, uint64_t share);
    // Runs them on this OS thread and as many others. Whether no block was dropped.
    bool run(Worker& own, unsigned others);

    // ---- for the conductor
    // No worker takes another block. The first position that none has taken.
    uint64_t stop_taking(Worker& conductor);
    // What became of a block that a worker took: it waits for its turn there, has ended, or is yet to begin.
    enum class Begun { waits, ended, not_yet };
    std::pair<Begun, std::unique_ptr<Block>> begun(uint64_t position);
    BlockState run_on(Worker& worker, Block& block);

  private:
    struct Helper;
    static void* run_helper(void* helper);
    void start_helpers(unsigned count);
    void end_helpers();
    void work(Worker& self);
    bool take(Worker& self);
    bool take_share(Worker& self);
    void give_up_share(Worker& self);
    void leave(Worker& self);
    void announce();
    bool wait_for_turn(Worker& self);
    bool is_first(const Worker& self) const;
    void serve(Worker& self);
    void end(bool dropped, const Worker& self);

    const simt_launch& launch_;
    const Turns turns_;
    const uint64_t end_;
    std::vector<Worker*> workers_;
    std::vector<Helper*> helpers_;
    std::mutex lock_;
    std::condition_variable news_;  // for a conductor, and for who waits until the others have left
    bool is_over_ = false, dropped_ = false;
    std::atomic<bool> takes_{true};                 // no block has stepped aside or was dropped
    std::atomic<uint64_t> share_;                   // blocks that one takes at a time
    alignas(64) std::atomic<uint64_t> next_;        // position of the next block that a worker takes
    alignas(64) std::atomic<unsigned> waiting_{0};  // workers that wait for what others announce
};

}  // namespace simt
