// Vector clocks (Fidge, Mattern): of each warp, the accesses up to some moment happen before what comes next. Kept sparse,
// because few warps synchronise with one another.
//
// A moment is a number that grows with every stretch of a block's work (shared_memory.h), so that one number stands for all
// earlier ones of the same warp.
#pragma once
#include <stdint.h>

#include <memory>
#include <vector>

namespace simt {

class VectorClock {
  public:
    static constexpr unsigned kWholeBlock = 0xffff;  // in the place of a warp

    bool covers(uint32_t block, unsigned warp, uint32_t moment) const;
    void advance(uint32_t block, unsigned warp, uint32_t moment);
    void join(const VectorClock& other);
    bool includes(const VectorClock& other) const;

  private:
    struct Entry {
        uint64_t who;  // block and warp
        uint32_t moment;
    };
    static constexpr size_t kMostEntries = 128;
    static uint64_t key(uint32_t block, unsigned warp) { return uint64_t(block) << 16 | warp; }
    uint32_t latest(uint64_t who) const;
    void limit();

    std::vector<Entry> entries_;  // by who
    uint32_t all_before_ = 0;     // of every warp: more entries than are worth keeping became this
};

// Shared by all whose clocks are equal, and never changed; null: nothing happened before.
using SharedClock = std::shared_ptr<const VectorClock>;
SharedClock joined(const SharedClock& a, const SharedClock& b);

}  // namespace simt
