// Atomics, volatile accesses and fences, with which threads synchronise; and spin loops: a thread that polls a flag must let
// the thread that sets it run.
#include "signals.h"

#include "execution.h"
#include "global_races.h"
#include "shared_memory.h"
#include "volatile_words.h"

using namespace simt;

namespace {
constexpr unsigned kAtomicsPerTurn = 64;  // one that only counts need not give way each time
constexpr unsigned kReadsPerTurn = 256;

bool is_checked() { return simt_access->on_device && is_checked_launch(); }

bool is_of_device(uintptr_t address, int kind) { return !is_shared(address) && !(kind & OF_BLOCK); }

// A strong read. A CAS acquires when it is known whether it changed anything.
void acquire(uintptr_t address, int kind, bool is_swap = false) {
    if (!simt_access->on_device) return;
    Block& block = *running_block;
    unsigned thread = block.current().thread;
    bool is_tracked = execution.access.cells, of_device = is_of_device(address, kind);
    block.signals.acquire(thread, shared_memory.epoch());
    if (is_tracked && !is_swap) block.order.acquire(thread / kWarpSize, address, of_device);
    if (is_tracked && of_device) global_races.acquire();
}

// A strong write. Returns its kind, with what that makes of it. `stores`: a value regardless of the old one.
int release(uintptr_t address, int kind, bool stores) {
    if (!simt_access->on_device) return kind;
    Block& block = *running_block;
    unsigned thread = block.current().thread;
    bool is_tracked = execution.access.cells, of_device = is_of_device(address, kind);
    block.current().latest_reads.forget();
    if (block.signals.release(thread, shared_memory.epoch()) && kind & VOLATILE) kind |= RELEASED;
    if (is_tracked) block.order.release(thread / kWarpSize, address, of_device, stores);
    if (is_tracked && of_device) global_races.release(shared_memory.moment());
    return kind;
}

void take_turn(Block& block, const void* address, size_t bytes, const void* pc) {
    Fiber& self = block.current();
    self.atomics = 0;
    bool in_vain = self.looks_back.end_round();
    self.awaited = nullptr;
    self.polled = address;
    self.polled_bytes = bytes;
    block.yield(pc, in_vain ? Turn::in_vain : Turn::progress);
}

// A thread that has only seen what it saw before its last turn waits in vain. Whether it let others run.
bool look(Block& block, const void* address, size_t bytes, unsigned per_turn, const void* pc, bool is_change = false) {
    Fiber& self = block.current();
    bool is_in_vain = self.atomics < LookBack::kLooks && self.looks_back.note(address, bytes);
    if (is_in_vain && is_change && execution.access.cells) volatile_words.note_wait(reinterpret_cast<uintptr_t>(address));
    if (++self.atomics < per_turn) return false;
    take_turn(block, address, bytes, pc);
    return true;
}

// What others released meanwhile, because only now the access is made.
void acquire_again(const void* pointer, int kind) {
    if (!is_checked() || !execution.access.cells) return;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    Block& block = *running_block;
    block.order.acquire(block.current().thread / kWarpSize, address, is_of_device(address, kind));
}
}  // namespace

extern "C" {
void simt_check_volatile(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    kind |= VOLATILE;
    if (kind & READ) acquire(address, kind);
    if (kind & WRITE) kind = release(address, kind, true);
    simt_check_range(reinterpret_cast<const void*>(address), bytes, kind, pc);
    if (!simt_access->on_device) return;
    ReleaseOrder& order = running_block->order;
    unsigned warp = execution.access.touch.thread / kWarpSize;
    bool is_tracked = execution.access.cells && !is_shared(address);
    if (kind & WRITE && !(kind & RELEASED) && is_tracked) order.write_unreleased(warp);
    auto pointer = reinterpret_cast<const void*>(address);
    if (!(kind & READ)) return;
    if (look(*running_block, pointer, bytes, kReadsPerTurn, pc)) acquire_again(pointer, 0);
    if (!is_tracked) return;
    running_block->current().latest_reads.note(address);
    if (global_races.is_written_by_another_warp(address)) order.read_written(warp, address);
}

void simt_check_atomic(const void* pointer, uintptr_t bytes, int kind, const void* pc) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    kind |= ATOMIC | (address % bytes ? MISALIGNED : 0);
    if (kind & READ && !(kind & WRITE)) acquire(address, kind);
    if (kind & WRITE) kind = release(address, kind, !(kind & READ));
    simt_check_range(pointer, bytes, kind, pc);
    if (kind & READ && kind & WRITE) acquire(address, kind);  // what it reads orders what follows, not itself
    bool is_tracked = simt_access->on_device && execution.access.cells && !is_shared(address);
    if (is_tracked && !(kind & WRITE)) running_block->current().latest_reads.note(address);
}

void simt_atomic_access(const void* pointer, size_t bytes, int traits) {
    const void* pc = __builtin_return_address(0);
    if (!simt_access->on_device) return;
    Block& block = *running_block;
    if (!(traits & SIMT_OF_BLOCK)) block.await_turn_for(pointer);
    if (is_checked()) {
        auto address = reinterpret_cast<uintptr_t>(pointer);
        int kind = READ | WRITE | ATOMIC | (traits & SIMT_SELECTS ? SELECTING : 0) | (traits & SIMT_OF_BLOCK ? OF_BLOCK : 0);
        kind = release(address, kind | (address % bytes ? MISALIGNED : 0), traits & SIMT_STORES);
        // What stores without regard to the old value initialises the word.
        simt_check_range(pointer, bytes, traits & SIMT_STORES ? kind & ~READ : kind, pc);
        acquire(address, kind, traits & SIMT_SWAPS);
    }
    bool was_turn = look(block, pointer, bytes, kAtomicsPerTurn, pc, true);
    if (was_turn && !(traits & SIMT_SWAPS)) acquire_again(pointer, traits & SIMT_OF_BLOCK ? OF_BLOCK : 0);
}

void simt_swap_done(const void* pointer, int succeeded, uint64_t expected, int traits) {
    if (!is_checked() || !execution.access.cells) return;
    Block& block = *running_block;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    unsigned warp = block.current().thread / kWarpSize;
    bool of_device = is_of_device(address, traits & SIMT_OF_BLOCK ? OF_BLOCK : 0);
    if (succeeded) block.order.begin_critical_section(warp, address, expected, of_device);
    else block.order.acquire(warp, address, of_device);
}

// On several OS threads a fence is one of the processor's. It need not be in turn: what it orders, others notice by what they
// do in theirs, or by reading a volatile, for which no turn exists.
void simt_fence(int scope) {
    if (execution.has_workers) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!is_checked()) return;
    Block& block = *running_block;
    unsigned thread = block.current().thread;
    block.signals.fence(thread, block.warp_of(thread), shared_memory.epoch());
    if (execution.access.cells) block.order.fence(thread / kWarpSize, scope);
}

void simt_spin(const void* pc) {
    if (!simt_access->on_device || ++running_block->current().looks < kReadsPerTurn) return;
    running_block->current().looks = 0;
    running_block->yield(pc);
}

void simt_spin_on(const void* address, size_t bytes, const void* pc) {
    if (!simt_access->on_device) return;
    Block& block = *running_block;
    block.await_turn_for(address);
    if (look(block, address, bytes, kReadsPerTurn, pc)) acquire_again(address, 0);
}

// Of block scope: the hooks do not know the scope of the compiler's atomics.
void simt_scoped_load(const void* pointer, size_t bytes) {
    const void* pc = __builtin_return_address(0);
    if (!simt_access->on_device) return;
    if (is_checked()) simt_check_atomic(pointer, bytes, READ | OF_BLOCK, pc);
    if (look(*running_block, pointer, bytes, kReadsPerTurn, pc)) acquire_again(pointer, OF_BLOCK);
}

void simt_scoped_store(const void* pointer, size_t bytes) {
    if (is_checked()) simt_check_atomic(pointer, bytes, WRITE | OF_BLOCK, __builtin_return_address(0));
}

void simt_wait_ended() {
    if (!is_checked() || !execution.access.cells) return;
    running_block->current().latest_reads.for_each([](uintptr_t address) { volatile_words.note_wait(address); });
    running_block->current().latest_reads.forget();
}
}
