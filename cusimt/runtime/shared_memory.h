// The shadow of a block's shared memory: the last write and read of each word, and whether this block wrote it at all.
//
// Two accesses race if they touch the same byte, at least one writes, nothing orders them, and their kinds
// do not allow it (atomics do; so does a flag that is written after a fence). What orders them: no
// __syncthreads between them (each barrier starts a new epoch), no collective within a warp (lane clocks), no flag with a
// fence (signals.h).
#pragma once
#include <stdint.h>

#include <algorithm>
#include <vector>

#include "arena.h"
#include "race_records.h"
#include "shared_arrays.h"
#include "simt_api.h"
#include "warp.h"

namespace simt {

class SharedMemory {
  public:
    // Finds the module's shared memory in this OS thread.
    void begin_launch(simt_module& module, size_t dynamic_bytes, bool checked);
    void begin_block();
    void pass_barrier();
    void end_block() { settle_reads(); }
    // The thread that runs from now on.
    void enter(unsigned thread, const LaneClocks& clocks);
    void access(uintptr_t address, uintptr_t bytes, int kind, const void* pc);

    // The last write to one of these words, or bytes, that the running block made and `is_wanted`; null if there is none.
    template <typename Wanted>
    const Touch* find_write(uintptr_t address, uintptr_t bytes, Wanted is_wanted) const;
    // Does nothing order an earlier access before one of this kind by the running thread?
    bool races(const Touch& earlier, int kind) const;
    const void* call_site_of(const Touch& touch) const {
        return reinterpret_cast<const void*>(load_address_ + touch.call_site);
    }

    // Nothing there was written by the running block.
    bool is_blank(uintptr_t address, uintptr_t bytes) const;

    uint32_t epoch() const { return epoch_; }
    // Epochs of one block are divided into moments, which have numbers of the same row: at a fence a new one begins, so that
    // what came before it can be told from what comes after it.
    uint32_t moment() const { return moment_; }
    void begin_moment();
    void show_identity();  // of the running thread, to the hooks: it has changed
    // Numbers begin anew, before a launch; false: not needed yet.
    bool restart_epochs();
    uint32_t next_epoch() const { return latest_epoch_ + 1; }
    uintptr_t begin() const { return begin_; }
    uintptr_t bytes() const { return bytes_; }
    uintptr_t dynamic_begin() const { return dynamic_begin_; }
    uintptr_t dynamic_bytes() const { return dynamic_bytes_; }
    // Of a checked launch: does an access to [address, address + bytes) lie within one array? If so the hooks let the next ones
    // to that array pass without asking.
    bool is_within_array(uintptr_t address, uintptr_t bytes);
    // After a checked launch: shared memory ends with it, and nothing on the host has read it.
    void wipe();
    // A guard of g++ for an array whose elements have constructors (__half): of no concern to the program.
    bool is_guard(uintptr_t address) const {
        const SharedArray* array = nearest_array(*arrays_, address - begin_);
        return array && array->is_guard && holds(*array, address - begin_, 1);
    }
    Allocation memory_of(const SharedArray& array) const;  // for a finding: where it lies
    // The array that is meant by an address: it lies there, or nearest.
    SharedArray array_at(uintptr_t address) const;
    // Every access comes to the slow path until an array is found harmless again.
    void forget_near();

    // A block that lets others run in its memory: its epoch and what it has written come back with it.
    struct Suspended {
        uint32_t epoch, serial;
        std::vector<uint8_t> written;  // by word: one bit a byte
    };
    Suspended suspend() const;
    void resume(const Suspended& block);

  private:
    void note_touched(const SharedArray& array);
    void reserve_cells(uintptr_t bytes);
    template <typename Each>
    void for_each_word(Each each) const;
    uint8_t written_bytes(uintptr_t word) const;
    void touch(SharedCell& cell, uintptr_t address, uintptr_t bytes, int kind, const void* pc);
    const Touch* racing(const SharedCell& cell, int kind) const;
    void split(uintptr_t word);
    void report_race(const Touch& earlier, uintptr_t address, uintptr_t bytes, int kind, const void* pc,
                     const char* what = "race_shared") const;
    void report_guess(const SharedCell& cell, uintptr_t address, uintptr_t bytes, int kind, const void* pc) const;
    void settle_reads();

    uintptr_t begin_ = 0, bytes_ = 0, dynamic_begin_ = 0, dynamic_bytes_ = 0, load_address_ = 0;
    const std::vector<SharedArray>* arrays_ = nullptr;
    std::vector<const SharedArray*> touched_;  // by this launch, but for the dynamic array
    uintptr_t touched_bytes_ = 0;
    SharedCell* words_ = nullptr;
    SharedCell* parts_ = nullptr;              // one per byte
    uintptr_t cell_bytes_ = 0;                 // bytes of shared memory that the cells cover
    uint32_t latest_epoch_ = 0, epoch_ = 0;    // the latest of all blocks, and the running block's
    uint32_t moment_ = 0;                      // of that epoch
    uint32_t latest_serial_ = 0, serial_ = 0;  // of the blocks
    const LaneClocks* clocks_ = nullptr;       // of the running thread's warp
    uint64_t accesses_ = 0;
    bool is_reported_ = false;  // a race of the access that is being looked at

    // Reads of unwritten memory. If another thread writes it before the next barrier, the two race, which is the better
    // finding; otherwise it is a read of uninitialised memory.
    struct EarlyRead {
        const SharedCell* cell;
        Touch read;
        uintptr_t address, bytes;
        uint64_t access;  // its number
    };
    std::vector<EarlyRead> early_reads_;
    bool is_reported_as_race(const EarlyRead& early) const;
};

template <typename Wanted>
const Touch* SharedMemory::find_write(uintptr_t address, uintptr_t bytes, Wanted is_wanted) const {
    uintptr_t first = address - begin_, end = std::min(first + bytes, bytes_);
    for (uintptr_t byte = first, past; byte < end; byte = past) {
        past = byte / 4 * 4 + 4;
        const SharedCell& word = words_[byte / 4];
        if (word.split_by_block == serial_) past = byte + 1;
        const SharedCell& cell = word.split_by_block == serial_ ? parts_[byte] : word;
        if (cell.written_by_block == serial_ && is_wanted(cell.write)) return &cell.write;
    }
    return nullptr;
}

extern SharedMemory shared_memory;

}  // namespace simt
