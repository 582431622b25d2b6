// Races on global memory: between blocks, which nothing orders but the end of the launch, and between threads of a block that
// no barrier separates.
//
// Two blocks that both use atomics may be ordered by them ("the last block to arrive adds up the others' results"). Which
// atomic published which write is not followed: a block's writes before its last atomic count as seen by every block that
// has executed an atomic itself. That may hide a race in such a kernel; it never invents one.
#pragma once
#include <stdint.h>

#include <vector>

#include "access_state.h"

namespace simt {

class GlobalRaces {
public:
    // Returns the cells of the device's memory, or null when there is no address space for them.
    GlobalCell* begin_launch(uint32_t epoch, int device);
    void begin_block(uint32_t epoch, uint64_t linear);
    void note_atomic(uint32_t epoch);
    // The range was freed and its pages given back: its cells give back theirs, which are four times as many.
    void forget(uintptr_t begin, uintptr_t bytes);
    void access(uintptr_t address, uintptr_t bytes, int kind, const void* pc);

private:
    struct BlockRecord {
        uint32_t first_epoch;
        uint32_t last_atomic;   // the epoch of it; 0: none
        uint64_t linear;
    };
    void map_cells();
    void unmap_cells();
    const BlockRecord& block_of(Record record) const;
    bool races(Record earlier, int kind) const;
    bool read_races(Record earlier, int kind) const;
    void report_race(Record earlier, uintptr_t address, uintptr_t bytes, int kind, const void* pc, bool earlier_reads) const;

    GlobalCell* cells_ = nullptr;      // of the whole arena
    bool unavailable_ = false;
    uint32_t launch_epoch_ = 0;
    std::vector<BlockRecord> blocks_;  // of this launch, by first epoch
};

extern GlobalRaces global_races;

// The return address of a recorded access, which `near` helps to complete: another access of the same module.
const void* call_site_of(Record record, const void* near);

}  // namespace simt
