// The happens-before order that fences, atomics and volatile accesses make, of accesses to global memory.
//
// A fence followed by a strong write (an atomic, or a volatile one) is a release: it releases what the thread did before the
// fence and what happened before that. A fence before the data releases nothing of them. A barrier joins the clocks of all
// threads of the block. Block scope, of the fence or of the atomic, releases to the own block only. A strong read of the word
// acquires what its writers released. The acquiring thread's own fence, which formal models require, is required for critical
// sections only: behind the CAS that takes a lock, accesses are ordered after those of earlier holders from the next fence on.
//
// All this is kept by warp. What one lane releases or acquires, its whole warp does, which may hide a race among its lanes.
#pragma once
#include <stdint.h>

#include <vector>

#include "recent_words.h"
#include "synchronisation_words.h"
#include "vector_clock.h"

namespace simt {

enum FenceScope { kFenceBlock = 1, kFenceDevice = 2 };

class ReleaseOrder {
  public:
    void begin_block(uint32_t number);
    void pass_barrier();

    // ---- by a thread of the warp that runs, before the access ----
    void fence(unsigned warp, int scope);
    // `stores`: the write may end a critical section, because it stores a value regardless of the old one.
    void release(unsigned warp, uintptr_t address, bool of_device, bool stores);
    void acquire(unsigned warp, uintptr_t address, bool of_device);
    // Behind a CAS, which read `expected` there and replaced it.
    void begin_critical_section(unsigned warp, uintptr_t lock, uint64_t expected, bool of_device);
    // An access that is no atomic, while the warp is watched.
    void note_access(unsigned warp, uintptr_t address);
    // A volatile write without a fence before it.
    void write_unreleased(unsigned warp);
    // A strong read of a word that another warp has written in this launch.
    void read_written(unsigned warp, uintptr_t address);

    // ---- of the running warp ----
    // The next accesses may be early ones (synchronisation_words.h): none may pass unseen.
    bool is_watching(unsigned warp) const { return watching_ >> warp & 1; }
    // What the other warp did at that moment happens before what comes next.
    bool happens_before(uint32_t block, unsigned other_warp, uint32_t moment, unsigned warp) const;
    // It was an early access in a critical section of a lock that this warp holds.
    bool was_early(uint32_t block, unsigned other_warp, uint32_t moment, uintptr_t address, unsigned warp) const;
    // It would, behind a fence: the warp holds a lock that was set back after that, and has made no fence since it took it.
    bool lacks_fence(uint32_t block, unsigned other_warp, uint32_t moment, unsigned warp) const;
    // The warp read a word that was written after that, but without a release.
    bool has_observed(unsigned warp, uint32_t block, unsigned other_warp, uint32_t moment) const;
    // It read the word no earlier than at that moment, and made a fence since: a flag that threads hand to and fro.
    bool has_read_since(unsigned warp, uintptr_t address, uint32_t moment) const;
    bool is_in_critical_section(unsigned warp, uintptr_t of_lock) const { return taken_.find(key(of_lock, warp)); }
    bool is_in_another_critical_section(unsigned warp, uintptr_t lock) const;

  private:
    struct Fence {
        uint32_t moment = 0;   // 0: there was none
        uint32_t barrier = 0;  // the block's accesses before this moment happen before the fence, too
        SharedClock before;
        SharedClock released;  // by the next strong write: all of that, once it is asked for
    };
    struct Opened {  // a critical section without a fence of the device yet
        uintptr_t lock;
        size_t begin, block_fence = ~size_t(0);  // in the early accesses
    };
    struct Held {  // an early access of an earlier holder
        uintptr_t lock;
        EarlyAccess access;
    };
    struct Warp {
        SharedClock clock, observed;
        SharedClock joined[2];  // to `clock`, latest: of a word, and of the forgotten ones
        Fence block, device;    // the latest of at least that scope
        Released unfenced;      // acquired with locks, but not before the next fence
        unsigned locks = 0;     // that it holds
        std::vector<Opened> opened;
        std::vector<EarlyAccess> accesses;  // since the oldest of them
        std::vector<Held> early;
        bool has_written = false;
    };
    struct Swap {  // a CAS that succeeded: the word may be a lock
        uint64_t expected = 0;
        unsigned warp = 0;
        bool is_lock = false;
        std::vector<EarlyAccess> early{};
    };
    // The latest reads of a word: before some event of interest, and of all.
    struct Reads {
        uint32_t before = 0, latest = 0;
        void note(uint32_t moment, uint32_t event) {
            if (latest < event) before = latest;
            latest = moment;
        }
        uint32_t latest_before(uint32_t event) const { return latest < event ? latest : before; }
    };
    static constexpr unsigned kAnyWarp = 32;
    static constexpr size_t kMostEarly = 8;  // accesses of critical sections, and those open at a time; further ones go unseen

    static uintptr_t key(uintptr_t address, unsigned warp) { return address << 6 | warp; }
    Warp* find(unsigned warp) { return present_ >> warp & 1 ? &warps_[warp] : nullptr; }
    const Warp* find(unsigned warp) const { return present_ >> warp & 1 ? &warps_[warp] : nullptr; }
    Warp& at(unsigned warp) {
        if (warps_.empty()) warps_.resize(32);
        present_ |= 1u << warp;
        return warps_[warp];
    }
    Released released(Warp* warp, unsigned number, bool of_device) const;
    SharedClock released_by(Fence& fence, unsigned warp) const;
    SharedClock observed_by(Warp* warp, unsigned number);
    void end_critical_section(unsigned warp, uintptr_t lock);
    void close_sections(Warp& warp);
    void watch(unsigned warp);

    uint32_t number_ = 0;                  // of the block
    uint32_t present_ = 0, watching_ = 0;  // bit by bit: warps
    std::vector<Warp> warps_;
    RecentWords<Swap, 1 << 12> taken_;  // by word and warp
    RecentWords<Reads, 1 << 12> reads_;
    SharedClock clock_, observed_, fenced_;  // at the last barrier; the last: what had been followed by a fence
};

}  // namespace simt
