// Whether a launch gains by further workers, and by how many. One worker runs its first blocks, and what these took says what the
// others will take: an OS thread costs as much as thousands of short CUDA threads.
#pragma once
#include <stdint.h>

#include "schedule.h"
#include "simt_api.h"

namespace simt {

int64_t nanoseconds();  // of a clock that only goes forward

// Blocks that nothing watches, in the order of the grid: see README.md.
bool may_share(const simt_launch& launch, const Schedule& schedule);

class Sharing {
  public:
    explicit Sharing(uint64_t blocks) : blocks_(blocks), began_(nanoseconds()) {}
    // The first block, and with each question the one before it, are samples: when they begin, at their first effect.
    bool is_sample(uint64_t position) const { return position + 1 == due_; }
    void begin_sample() { sample_began_ = nanoseconds(), effect_ = 0; }
    void note_effect() { effect_ = nanoseconds(); }
    // After the 1st, 2nd, 4th ... block.
    bool is_due(uint64_t ran) const { return ran == due_; }
    // How many OS threads beside this one are worth starting, after so many blocks; and how many blocks one takes at a time.
    unsigned helpers(uint64_t ran);
    uint64_t share() const { return share_; }

  private:
    const uint64_t blocks_;
    uint64_t due_ = 1, share_ = 1;
    const int64_t began_;
    int64_t sample_began_ = 0, effect_ = 0;  // 0: none
};

// Of one worker: whether what it does at the same time as others is worth the turns that they hand over to it.
class Usefulness {
  public:
    void begin() { began_ = nanoseconds(), waited_ = 0, waits_ = 0; }
    void begin_wait() { waits_since_ = nanoseconds(); }
    void end_wait() { waited_ += nanoseconds() - waits_since_, ++waits_; }
    // Not where it has waited for more than a third of its time.
    bool is_lost() const { return waits_ >= kEnoughWaits && waited_ * 3 > nanoseconds() - began_; }

  private:
    static constexpr unsigned kEnoughWaits = 8;  // to judge by
    int64_t began_ = 0, waited_ = 0, waits_since_ = 0;
    unsigned waits_ = 0;
};

}  // namespace simt
