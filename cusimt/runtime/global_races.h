// Race detection on global memory: between blocks, which only the end of the launch, a grid barrier or flags order, and
// between threads of a block without a barrier between them.
//
// Fences and flags make the order that release_order.h describes. Atomics need none, unless one is of block scope and the
// other of another block. What volatile accesses mean is in volatile_words.h.
//
// Records of a launch on another stream that is not ordered with this one are compared like those of another block.
#pragma once
#include <stdint.h>

#include <map>
#include <vector>

#include "findings.h"
#include "race_records.h"
#include "stream_uses.h"

namespace simt {

struct GlobalAccess {
    uintptr_t address, bytes;
    int kind;
    const void* pc;
};

class GlobalRaces {
  public:
    // Finds the cells of the device's memory; without address space for them nothing is tracked.
    void begin_launch(uint32_t epoch, int device, std::vector<LaunchBeside> beside);
    // Returns the number by which the block is resumed.
    uint32_t begin_block(uint32_t epoch, uint64_t linear);
    // All blocks met at the grid's barrier: what was before is ordered before what comes.
    void pass_grid_barrier(uint32_t epoch);
    // From now on blocks step aside for others, until the next grid barrier or launch.
    void begin_turns();
    // The running block goes on in a new epoch; or a block that was suspended goes on in its old one.
    void note_epoch(uint32_t epoch);
    void resume_block(uint32_t number) { own_ = number; }
    // The numbers of epochs begin anew.
    void forget_all();

    void end_launch();
    void release(uint32_t epoch) {
        if (!blocks_.empty()) own().released = epoch;
    }
    void acquire() {
        if (!blocks_.empty()) own().has_acquired = true;
    }
    // Whether the instruction was the last in this launch to write or to read a word of the allocation.
    bool has_touched(const void* pc, const Allocation& allocation) const;
    // Whether another warp, in this launch, was the last to write the word, by a strong write.
    bool is_written_by_another_warp(uintptr_t address) const;
    void access(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
    // The same for a __device__ variable, which lies in a section of its library.
    void access_variable(uintptr_t section, uintptr_t section_bytes, uintptr_t address, uintptr_t bytes, int kind,
                         const void* pc);

  private:
    // The cells of the memory from `begin` on.
    struct Shadow {
        uintptr_t begin;
        GlobalCell *words, *parts;
    };
    struct BlockRecord {
        uint64_t linear;
        uint32_t released = 0;      // epoch of its last strong write
        bool has_acquired = false;  // it made a strong read
    };
    // A plain write that came to the slow path, after a collective of its warp: at which time of the warp's clock.
    struct LaneWrite {
        const GlobalCell* cell = nullptr;
        Record identity = 0;
        uint32_t clock = 0;
    };
    static constexpr size_t kLaneWrites = 1024;
    struct Stretch {  // epochs from `first` on, to the next stretch, are the block's
        uint32_t first;
        uint32_t block;
    };
    BlockRecord& own() { return blocks_[own_]; }
    const BlockRecord& own() const { return blocks_[own_]; }
    const GlobalCell* cell_at(uintptr_t address) const;
    void note(uintptr_t address, int kind) const;
    bool is_waiting(const GlobalCell& cell, Record now, int kind) const;
    void track(const Shadow& shadow, const GlobalAccess& access);
    const LaunchBeside* beside_of(Record record, uintptr_t address) const;  // null: it was none of them
    bool races_with_launch_beside(const GlobalCell& cell, const GlobalAccess& access) const;
    static void split(const Shadow& shadow, uintptr_t word);
    const BlockRecord& block_of(Record record) const;
    uint32_t block_epoch_of(Record record) const;
    uint32_t barrier_epoch_of(Record record) const;
    // Notes the access to one cell of it, and reports a race unless one was `reported` already. Returns whether one is now.
    bool touch(GlobalCell& cell, Record now, const GlobalAccess& access, bool reported);
    // The last two: a race unless the other one looks at the word again; unless a thread waits for the word (volatile_words.h).
    enum class Conflict { none, race, guess, unless_looked_at, unless_waited_for };
    Conflict conflict(Record earlier, int earlier_kind, const GlobalAccess& access) const;
    bool is_ordered(Record earlier, int earlier_kind, const GlobalAccess& access) const;
    bool is_released(Record earlier, const GlobalAccess& access) const;
    bool begins_without_fence(Record earlier, const GlobalAccess& access) const;
    Conflict conflict_of_kinds(Record earlier, int earlier_kind, const GlobalAccess& access) const;
    Conflict conflict_of_volatile(Record earlier, int earlier_kind, const GlobalAccess& access) const;
    Conflict conflict_with_reads(Record earlier, const GlobalAccess& access) const;
    LaneWrite& lane_write(const GlobalCell& cell) {
        return lane_writes_[reinterpret_cast<uintptr_t>(&cell) / sizeof cell % kLaneWrites];
    }
    Conflict conflict_of_lanes(const GlobalCell& cell, int writer, const GlobalAccess& access);
    void note_lane(const GlobalCell& cell, int kind);
    // Reports it, unless it is harmless; whether it did.
    bool settle(Conflict conflict, Record earlier, int earlier_kind, const GlobalAccess& access) const;
    Report race_between(Record earlier, int earlier_kind, const GlobalAccess& access) const;

    std::map<uintptr_t, std::vector<GlobalCell>> variables_;  // of sections, by address: parts, behind them words
    uint32_t launch_epoch_ = 0;
    uint32_t own_ = 0;                 // the running block
    std::vector<BlockRecord> blocks_;  // of this launch, in the order in which they began
    std::vector<Stretch> stretches_;   // by first epoch
    std::vector<LaunchBeside> beside_;
    LaneWrite lane_writes_[kLaneWrites];  // the latest ones, by cell
};

extern GlobalRaces global_races;

// The return address of a recorded access, which `near` helps to complete: another access of the same module.
const void* call_site_of(Record record, const void* near);

}  // namespace simt
