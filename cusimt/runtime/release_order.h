// The order that fences and flags make, of accesses to global memory.
//
// A thread publishes what it did before a fence with its next strong write (an atomic, or a volatile one): a fence before the
// data publishes nothing of them. With its own accesses it publishes what it knows of others', and a barrier passes on what any
// thread of the block knows. Block scope, of the fence or of the atomic, publishes to the own block only. A strong read of the
// flag makes that known to the reader. The reader's own fence, which formal models require, is not asked for, except after the
// CAS that takes a lock: code that leaves it out there goes wrong on real GPUs.
//
// All this is kept by warp. What one lane publishes or learns is that of the whole warp, which may hide a race among its lanes.
#pragma once
#include <stdint.h>

#include <vector>

#include "flags.h"
#include "knowledge.h"

namespace simt {

enum FenceScope { kFenceBlock = 1, kFenceDevice = 2 };

class ReleaseOrder {
  public:
    void begin_block(uint32_t number);
    void pass_barrier();

    // ---- by a thread of the warp that runs, before the access ----
    void fence(unsigned warp, int scope);
    // `restores`: the write may give a lock back, because it stores a value regardless of the old one.
    void send(unsigned warp, uintptr_t address, bool reaches_device, bool restores);
    void receive(unsigned warp, uintptr_t address, bool hears_device);
    void write_volatile(unsigned warp);
    void read_volatile(unsigned warp, uintptr_t address);
    // Behind a CAS, which read `expected` there and replaced it.
    void take(unsigned warp, uintptr_t address, uint64_t expected, bool hears_device);
    // An access that a critical section protects, if the warp is in one.
    void note_access(unsigned warp);

    // ---- what the running warp knows ----
    bool knows(unsigned warp, uint32_t block, unsigned other_warp, uint32_t moment) const;
    // It was told that this happened, but in a way that makes no order.
    bool has_heard_of(unsigned warp, uint32_t block, unsigned other_warp, uint32_t moment) const;
    // Some earlier access of the other warp is ordered before what this one does.
    // It read the word no earlier than at that moment, and made a fence since: a flag that threads hand to and fro.
    bool answers(unsigned warp, uintptr_t address, uint32_t moment) const;
    bool holds_lock(unsigned warp, uintptr_t but_for) const;
    bool holds(unsigned warp, uintptr_t address) const;
    // Whether the first access of a critical section without a fence is still to come: then none may pass unseen.
    bool is_watching(unsigned warp) const { return watching_ >> warp & 1; }

  private:
    struct Fence {
        uint32_t moment = 0;   // 0: there was none
        uint32_t barrier = 0;  // the block's accesses before this moment are ordered before the fence, too
        Shared known;
    };
    struct Lock {
        uintptr_t address;
        uint64_t expected;
        bool open_to_block = true, open_to_device = true;          // no fence since it was taken
        bool broken_for_block = false, broken_for_device = false;  // an access came before the fence
        Published pending;                                         // what the fence will make known
        bool awaits_access() const { return (open_to_block && !broken_for_block) || (open_to_device && !broken_for_device); }
    };
    struct Warp {
        Shared known, heard;
        Fence block, device;  // the latest that reached at least so far
        std::vector<Lock> locks;
        bool has_written_volatile = false;
    };
    struct Read {
        uintptr_t address;
        unsigned warp;
        uint32_t moment;
    };
    static constexpr size_t kMostLocks = 4, kMostReads = 16;

    Warp* find(unsigned warp) { return present_ >> warp & 1 ? &warps_[warp] : nullptr; }
    const Warp* find(unsigned warp) const { return present_ >> warp & 1 ? &warps_[warp] : nullptr; }
    Warp& at(unsigned warp) {
        if (warps_.empty()) warps_.resize(32);
        present_ |= 1u << warp;
        return warps_[warp];
    }
    Published published(const Warp* warp, unsigned number, bool reaches_device) const;
    // A scope that is the block's includes the threads of the block, whatever the other's scope.
    bool hears(const Flag& flag, bool device) const { return device || flag.block == number_; }
    Shared released(const Fence& fence, unsigned warp) const;
    static void learn(Warp& warp, const Published& what);
    void watch(unsigned warp);

    uint32_t number_ = 0;                  // of the block
    uint32_t present_ = 0, watching_ = 0;  // bit by bit: warps
    std::vector<Warp> warps_;
    std::vector<Read> reads_;  // of volatile words, the latest of each word and warp
    size_t next_read_ = 0;
    Shared known_, heard_, fenced_;  // at the last barrier
    bool has_written_volatile_ = false;
};

}  // namespace simt
