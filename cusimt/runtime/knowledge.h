// What a warp knows of others' accesses: of each warp, those up to some moment are ordered before what comes next. Vector
// clocks (Fidge, Mattern), kept sparse, because few warps tell one another anything.
//
// A moment is a number that grows with every stretch of a block's work (shared_memory.h), so that one number stands for all
// earlier ones of the same warp.
#pragma once
#include <stdint.h>

#include <memory>
#include <vector>

namespace simt {

class Knowledge {
  public:
    static constexpr unsigned kWholeBlock = 0xffff;  // in the place of a warp

    bool covers(uint32_t block, unsigned warp, uint32_t moment) const;
    void add(uint32_t block, unsigned warp, uint32_t moment);
    void join(const Knowledge& other);
    bool includes(const Knowledge& other) const;

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

// Shared by those who know the same, and never changed; null: nothing.
using Shared = std::shared_ptr<const Knowledge>;
Shared joined(const Shared& a, const Shared& b);

}  // namespace simt
