// Atomics, volatile accesses and fences, with which threads synchronise; and spin loops: a thread that polls a flag must let
// the thread that sets it run.
#include "signals.h"

#include <string.h>

#include "execution.h"
#include "global_races.h"
#include "shared_memory.h"

using namespace simt;

namespace {
constexpr unsigned kAtomicsPerTurn = 64;  // one that only counts need not give way each time
constexpr unsigned kReadsPerTurn = 256;

bool is_checked() { return simt_access->on_device && execution.launch->module->checked; }

// What the access tells and hears. Returns its kind, with what that makes of it.
int note_signal(uintptr_t address, int kind) {
    if (!simt_access->on_device) return kind;
    Block& block = *execution.block;
    unsigned thread = block.current().thread;
    uint32_t epoch = shared_memory.epoch();
    bool is_shared = address - shared_memory.begin() < shared_memory.bytes();  // other blocks do not see it
    bool reaches_other_blocks = execution.access.cells && !is_shared;
    if (kind & READ) {
        block.signals.receive(thread, epoch);
        if (reaches_other_blocks) global_races.receive();
    }
    if (kind & WRITE) {
        if (block.signals.send(thread, epoch) && kind & VOLATILE) kind |= RELEASED;
        if (reaches_other_blocks) global_races.send(epoch);
    }
    return kind;
}

// The thread lets others run. If it finds the same value at the same place as before its last turn, it waits in vain.
void take_turn(const void* address, size_t bytes, const void* pc) {
    Fiber& self = execution.block->current();
    uint64_t seen = 0;
    memcpy(&seen, address, bytes < sizeof seen ? bytes : sizeof seen);
    bool in_vain = self.watched == address && self.seen == seen;
    self.watched = address;
    self.seen = seen;
    self.atomics = 0;
    execution.block->yield(pc, in_vain ? Turn::in_vain : Turn::progress);
}

void begin_atomic(const void* address, size_t bytes, int kind, const void* pc) {
    if (!simt_access->on_device) return;
    if (is_checked()) simt_check_atomic(address, bytes, READ | WRITE | kind, pc);
    if (++execution.block->current().atomics >= kAtomicsPerTurn) take_turn(address, bytes, pc);
}
}  // namespace

extern "C" {
void simt_check_volatile(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    kind = note_signal(address, kind | VOLATILE);
    simt_check_range(reinterpret_cast<const void*>(address), bytes, kind, pc);
    if (!(kind & READ) || !simt_access->on_device) return;
    if (++execution.block->current().atomics >= kReadsPerTurn) take_turn(reinterpret_cast<const void*>(address), bytes, pc);
}

void simt_check_atomic(const void* pointer, uintptr_t bytes, int kind, const void* pc) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    kind = note_signal(address, kind | ATOMIC | (address % bytes ? MISALIGNED : 0));
    simt_check_range(pointer, bytes, kind, pc);
}

void simt_atomic_access(const void* address, size_t bytes) { begin_atomic(address, bytes, 0, __builtin_return_address(0)); }

void simt_selecting_atomic_access(const void* address, size_t bytes) {
    begin_atomic(address, bytes, SELECTING, __builtin_return_address(0));
}

void simt_fence(int scope) {
    if (!is_checked()) return;
    Block& block = *execution.block;
    unsigned thread = block.current().thread;
    block.signals.fence(thread, block.warp_of(thread), shared_memory.epoch());
    if (scope == kFenceDevice && execution.access.cells) global_races.fence(shared_memory.epoch());
}

void simt_spin(const void* pc) {
    if (!simt_access->on_device || ++execution.block->current().looks < kReadsPerTurn) return;
    execution.block->current().looks = 0;
    execution.block->yield(pc);
}

void simt_spin_on(const void* address, size_t bytes, const void* pc) {
    if (simt_access->on_device && ++execution.block->current().atomics >= kReadsPerTurn) take_turn(address, bytes, pc);
}
}
