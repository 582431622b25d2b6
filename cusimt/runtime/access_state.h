// The state from which an access hook approves a valid access in a few instructions. Shared by the runtime and hooks.cpp,
// which is compiled into every checked module.
#pragma once
#include <stdint.h>

#include "race_records.h"

namespace simt {

// The host has one constant state in which everything but device memory is quiet; a running kernel has its own. Hooks
// therefore need no separate question "am I on the device?". To see every access in the slow paths, empty the ranges.
struct AccessState {
    uintptr_t arena_begin, arena_bytes;    // global memory of the device that runs; empty on the host
    uint8_t* marks;                        // one SIMT_* byte per byte of it
    uintptr_t quiet_begin, quiet_bytes;    // never checked: the fiber's stack; on the host all but device memory
    uintptr_t shared_begin, shared_bytes;  // the module's shared memory in this OS thread
    int on_device;
    int counted;  // a launch whose accesses are counted: all come to the slow paths (counting.h)

    // Races on global memory; cells is null where they are not looked for.
    GlobalCell* cells;       // one per 4-byte word of the arena's device memory
    GlobalCell* parts;       // one per byte, for words that are accessed in parts
    Record identity;         // of the running thread: epoch and thread
    uint32_t launch_epoch;   // records from before it are ordered before all that runs now
    uint32_t block_epoch;    // the first of this block
    uint32_t barrier_epoch;  // the first since its last barrier

    // Races on shared memory.
    struct {
        uintptr_t begin, bytes;
    } near[2];                 // the arrays that were accessed last: kernels go back and forth between two
    SharedCell* shared_cells;  // one per 4-byte word from shared_begin on
    SharedCell* shared_parts;  // one per byte
    Touch touch;               // of the running thread, but for call_site and clock
    const uint32_t* clock;     // of its warp
    uint32_t block_serial;     // of the running block
    uintptr_t load_address;    // of the module
};

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
extern __thread simt::AccessState* simt_access __attribute__((tls_model("initial-exec")));

// The slow paths, in the runtime. `misaligned`: the address is no multiple of the size, though the compiler relied on that.
void simt_check_global(uintptr_t address, uintptr_t bytes, int kind, bool misaligned, const void* pc);
void simt_check_shared(uintptr_t address, uintptr_t bytes, int kind, bool misaligned, const void* pc);
void simt_check_other(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
void simt_check_atomic(const void* address, uintptr_t bytes, int kind, const void* pc);
void simt_check_race(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
void simt_check_volatile(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
void simt_check_range(const void* address, uintptr_t bytes, int kind, const void* pc);  // memcpy and the like
}
#pragma GCC visibility pop
