// Shadow of a block's shared memory: who last wrote and read each word, and whether this block wrote it at all.
//
// Two accesses race when they touch the same byte, at least one writes, not both are atomic, and nothing orders them: no
// __syncthreads between them (the epoch changes with every barrier) and, within a warp, no collective (lane clocks).
#pragma once
#include <stdint.h>

#include <vector>

#include "shared_arrays.h"
#include "simt_api.h"
#include "warp.h"

namespace simt {

struct Touch {
    uint32_t epoch = 0;        // of the block; epochs are never reused, so old records expire by themselves
    uint32_t clock = 0;        // of the warp
    uint32_t call_site = 0;    // relative to the module
    uint16_t thread = 0;
    uint16_t kind = 0;         // AccessKind bits; no hole, so that a record is copied in one move
};

// A word, or one byte of a word that is accessed in parts. Of many readers two are kept, of different warps if there are:
// any later writer outside both conflicts with one of them.
struct Cell {
    Touch write, read, other_read;
    uint32_t written_by_block = 0;   // serial number of the block that initialised it
    uint32_t split_by_block = 0;     // words only: the block that began to access it in parts
};

class SharedMemory {
public:
    // Finds the module's shared memory in this OS thread.
    void begin_launch(simt_module& module, size_t dynamic_bytes, bool checked);
    void begin_block();
    void pass_barrier();
    void end_block() { settle_reads(); }
    // The thread that runs from now on.
    void enter(unsigned thread, const LaneClocks& clocks) {
        thread_ = uint16_t(thread);
        clocks_ = &clocks;
    }
    void access(uintptr_t address, uintptr_t bytes, int kind, const void* pc);

    uint32_t epoch() const { return epoch_; }
    uintptr_t begin() const { return begin_; }
    uintptr_t bytes() const { return bytes_; }
    uintptr_t dynamic_begin() const { return dynamic_begin_; }
    uintptr_t dynamic_bytes() const { return dynamic_bytes_; }
    // Of a checked launch: the static array that an access to [address, address + bytes) overran; null when it is within one.
    const SharedArray* overrun(uintptr_t address, uintptr_t bytes) {
        uintptr_t offset = address - begin_;
        for (const SharedArray* array : latest_) {   // kernels go back and forth between two tiles
            if (array && holds(*array, offset, bytes)) return nullptr;
        }
        const SharedArray* array = nearest_array(*arrays_, offset);
        if (!array || !holds(*array, offset, bytes)) return array;
        latest_[1] = latest_[0];
        latest_[0] = array;
        return nullptr;
    }

private:
    void reserve_cells(uintptr_t bytes);
    void touch(Cell& cell, uintptr_t address, uintptr_t bytes, int kind, const void* pc);
    void write(Cell& cell, const Touch& now, uintptr_t address, uintptr_t bytes, const void* pc);
    void split(uintptr_t word);
    bool races(const Touch& earlier, int kind) const;
    void report_race(const Touch& earlier, uintptr_t address, uintptr_t bytes, int kind, const void* pc) const;
    void remember_read(Cell& cell, const Touch& read) const;
    void settle_reads();

    uintptr_t begin_ = 0, bytes_ = 0, dynamic_begin_ = 0, dynamic_bytes_ = 0, load_address_ = 0;
    const std::vector<SharedArray>* arrays_ = nullptr;
    const SharedArray* latest_[2] = {};   // of those arrays, the last that were accessed
    Cell* words_ = nullptr;
    Cell* parts_ = nullptr;         // one per byte
    uintptr_t cell_bytes_ = 0;      // bytes of shared memory that the cells cover
    uint32_t epoch_ = 0, block_ = 0;
    uint16_t thread_ = 0;
    const LaneClocks* clocks_ = nullptr;   // of its warp

    // Reads of what nobody has written yet. If another thread writes it before the next barrier the two race, which is the
    // better thing to say; if nobody does, the memory was read uninitialised.
    struct EarlyRead {
        const Cell* cell;
        Touch read;
        uintptr_t address, bytes;
    };
    std::vector<EarlyRead> early_reads_;
};

extern SharedMemory shared_memory;

}  // namespace simt
