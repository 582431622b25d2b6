// What an access hook must know to let a harmless access pass in a few instructions. Shared by the runtime and by hooks.cpp,
// which is compiled into every checked module.
#pragma once
#include <stdint.h>

namespace simt {

// The host has one constant state in which everything but device memory is quiet; a running kernel has its own. Hooks
// therefore need no separate question "am I on the device?".
struct AccessState {
    uintptr_t arena_begin, arena_bytes;   // global memory of the device that runs; empty on the host
    uint8_t* marks;                       // one SIMT_* byte per byte of it
    uintptr_t quiet_begin, quiet_bytes;   // never checked: the fiber's stack; on the host all but device memory
    uintptr_t shared_begin, shared_bytes; // the module's shared memory in this OS thread
    int on_device;
    int counted;                          // a launch whose accesses are counted: all come to the slow paths (counting.h)

    // Races on global memory; cells is null where they are not looked for.
    struct GlobalCell* cells;             // one per 4-byte word of the arena's device memory
    uint64_t identity;                    // of the running thread, as a Record without its last 22 bits
    uint32_t launch_epoch;                // the first of this launch: records from before it are ordered before it
    uint32_t block_epoch;                 // the first of this block
};

// Who touched a word last: [epoch 32 | thread 10 | flags 3 | low bits of the return address 19]. Epochs number the stretches
// between barriers of all blocks of all launches, so one number says which launch, block and stretch it was.
using Record = uint64_t;
struct GlobalCell {
    Record write, read;
};
constexpr int kThreadShift = 22;
constexpr Record kAtomicRecord = 1u << 21;
constexpr Record kOtherBlocks = 1u << 20;   // of a read: blocks other than the recorded one have read, too
constexpr Record kOtherWarps = 1u << 19;    // of a read: so have other warps of the block in that epoch
constexpr Record kCallSiteMask = kOtherWarps - 1;
constexpr uint32_t epoch_of(Record record) { return uint32_t(record >> 32); }
constexpr bool same_thread_and_epoch(Record a, Record b) { return (a ^ b) >> kThreadShift == 0; }
constexpr bool same_warp_and_epoch(Record a, Record b) { return (a ^ b) >> (kThreadShift + 5) == 0; }

// The record after one more read: the latest reader, and whether there were others that it does not stand for.
inline Record with_read(Record before, Record now, const AccessState& state) {
    if (epoch_of(before) < state.launch_epoch) return now;
    if (epoch_of(before) < state.block_epoch || before & kOtherBlocks) now |= kOtherBlocks;
    bool same_epoch = epoch_of(before) == epoch_of(now);
    if (same_epoch && (before & kOtherWarps || !same_warp_and_epoch(before, now))) now |= kOtherWarps;
    return now;
}

// Bits: an atomic read-modify-write is the first three.
enum AccessKind { READ = 1, WRITE = 2, ATOMIC = 4, MISALIGNED = 8 };

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
void simt_check_range(const void* address, uintptr_t bytes, int kind, const void* pc);   // memcpy and the like
void simt_spin(const void* pc);        // a volatile read: maybe the kernel waits for another thread
}
#pragma GCC visibility pop
