// Records of the last accesses to a word, against which later accesses are checked for races.
#pragma once
#include <stdint.h>

namespace simt {

// Bits. An atomic read-modify-write is READ, WRITE and ATOMIC. SELECTING: an atomic that compares what it finds and keeps or
// replaces it (CAS, min, max, and, or): a concurrent plain read is a guess that the atomic verifies. RELEASED: a volatile write
// after a fence. OF_BLOCK: an atomic of block scope. MISALIGNED: the address is no multiple of the size, though the compiler
// relied on that. SPARE: of more than is needed; harmless if it was never written. OF_BULK_COPY: by the asynchronous proxy.
enum AccessKind {
    READ = 1,
    WRITE = 2,
    ATOMIC = 4,
    VOLATILE = 8,
    SELECTING = 16,
    RELEASED = 32,
    MISALIGNED = 64,
    SPARE = 128,
    OF_BLOCK = 256,
    OF_BULK_COPY = 512
};
constexpr int kStrong = ATOMIC | VOLATILE;  // of global memory, threads may do these to one word at the same time

// ---- global memory --------------------------------------------------------------------------------------------------------

// [epoch 30 | thread 10 | flags 5 | low bits of the return address 19]. Epochs number the stretches between barriers and fences
// of all blocks of all launches, so one number says which launch, block and stretch it was.
using Record = uint64_t;
struct GlobalCell {
    Record write, read;
};
constexpr int kEpochShift = 34, kThreadShift = 24;
constexpr uint32_t kMostEpochs = 1u << 29;                // where numbering begins anew, before a launch
constexpr uint32_t kLastEpoch = (1u << 30) - (1u << 27);  // where fences of a launch begin no epoch any more
constexpr Record kSplit = 1u << 23;            // of a write: no record, but a sign that the word's bytes have their own
constexpr Record kStrongRecord = 1u << 22;     // atomic or volatile
constexpr Record kVolatileRecord = 1u << 21;   // of a write: the latter
constexpr Record kSelectingRecord = 1u << 20;  // of a write: an atomic of that sort; of a volatile one: RELEASED
constexpr Record kOfBlockRecord = 1u << 19;    // an atomic of block scope
constexpr Record kOtherBlocks = 1u << 21;      // of a read: blocks other than the recorded one have read plainly, too
constexpr Record kOtherWarps = 1u << 20;       // of a read: so have other warps of the block since its barrier
constexpr Record kCallSiteMask = kOfBlockRecord - 1;
constexpr uint32_t epoch_of(Record record) { return uint32_t(record >> kEpochShift); }
constexpr unsigned thread_of(Record record) { return unsigned(record >> kThreadShift & 1023); }
constexpr Record identity_of(uint32_t epoch, unsigned thread) {
    return Record(epoch) << kEpochShift | Record(thread) << kThreadShift;
}
constexpr bool same_thread_and_epoch(Record a, Record b) { return (a ^ b) >> 23 == 0; }  // never true of a split word
constexpr bool same_warp(Record a, Record b) { return ((a ^ b) >> (kThreadShift + 5) & 31) == 0; }

// The record after one more read: the latest reader, and whether there were others that it does not stand for. A strong read
// conflicts with less, so it does not hide a plain one.
inline Record with_read(Record before, Record now, uint32_t launch_epoch, uint32_t block_epoch, uint32_t barrier_epoch) {
    if (epoch_of(before) < launch_epoch) return now;
    if (now & kStrongRecord) return before & kStrongRecord ? now : before;
    if (before & kStrongRecord) return now;
    if (epoch_of(before) < block_epoch || before & kOtherBlocks) now |= kOtherBlocks;
    bool since_barrier = epoch_of(before) >= barrier_epoch;
    if (since_barrier && (before & kOtherWarps || !same_warp(before, now))) now |= kOtherWarps;
    return now;
}

// ---- shared memory --------------------------------------------------------------------------------------------------------

struct Touch {
    uint32_t epoch = 0;  // of the block; epochs are never reused, so old records expire by themselves
    uint16_t thread = 0;
    uint16_t kind = 0;       // AccessKind bits
    uint32_t clock = 0;      // of the warp
    uint32_t call_site = 0;  // relative to the module
};

// A word, or one byte of a word that is accessed in parts. Of many readers two are kept, of different warps if there are:
// any later writer outside both conflicts with one of them.
struct alignas(64) SharedCell {
    Touch write, read, other_read;
    uint32_t written_by_block = 0;  // serial number of the block that initialised it
    uint32_t split_by_block = 0;    // words only: the block that began to access it in parts
    uint32_t settled_epoch = 0;     // in which both readers are there and of different warps: no further one need be kept
};

// Records a read, which has been checked already.
inline void remember_read(SharedCell& cell, const Touch& now) {
    if (cell.settled_epoch == now.epoch) return;
    if (cell.read.epoch != now.epoch || cell.read.thread == now.thread) {
        cell.read = now;
        return;
    }
    bool other_is_current = cell.other_read.epoch == now.epoch;
    if (other_is_current && cell.other_read.thread / 32 != cell.read.thread / 32) return;
    cell.other_read = now;
    if (now.thread / 32 != cell.read.thread / 32) cell.settled_epoch = now.epoch;
}

}  // namespace simt
