// An OS thread that runs blocks, and what it needs of its own for them. Whatever else a launch uses is the same for all of its
// workers, and none changes it while another runs (execution.h).
#pragma once
#include <pthread.h>
#include <stdint.h>

#include <atomic>
#include <condition_variable>
#include <memory>

#include "sharing.h"
#include "simt_api.h"

namespace simt {

class Block;
enum class BlockState;

// A module's thread-local variables are its shared memory: one copy per OS thread, in which one block runs at a time.
struct ThreadBlockMemory {
    uintptr_t begin, bytes, dynamic_begin;
};

// Why a block ends early: the watchdog's signal to its OS thread, or a block that was dropped on another one.
enum End { kTimedOut = 1, kDropped };

struct alignas(64) Worker {
    static constexpr uint64_t kNone = ~uint64_t(0);
    Worker();
    ~Worker();

    // ---- written by its own OS thread
    ThreadBlockMemory shared{};    // of the launch's module
    uintptr_t dynamic_bytes = 0;   // of this launch
    uint64_t cycles = 0;           // on the simulated clock, the longest of its blocks in this launch
    volatile int ends = 0;         // an End: no thread runs on
    uint64_t progress = 0;         // counts threads of this launch that end or get behind a barrier: the kernel is not stuck
    std::unique_ptr<Block> block;  // the one it runs or has run: its fibers and their stacks serve the next one

    bool is_shared(uintptr_t address) const { return address - shared.begin < shared.bytes; }

    // ---- what others of its crew read (crew.h)
    std::atomic<uint64_t> position{kNone};  // in the schedule: of the block it runs, or no later than that
    uint64_t share_end = 0;                 // the blocks up to there are its own to run
    Usefulness usefulness;
    pthread_t thread{};
    bool waits = false;        // for the turn of its block; this and all below under the crew's lock
    uint64_t unbegun = kNone;  // from here on it has left the blocks of its share
    bool is_at_rest = false;   // with a block that waits for its turn, until the conductor runs that
    bool has_left = true;      // or has not begun
    Block* job = nullptr;      // a block for it to run on, by the conductor
    BlockState answer{};       // how that ended
    std::condition_variable wake;
};

// The first is the launching OS thread, whichever that is. They outlive their launches, with their blocks.
Worker& worker(unsigned number);
// What an OS thread needs for a launch: its shared memory, and the dimensions that its kernels see.
void enter_launch(Worker& self, const simt_launch& launch);

}  // namespace simt
