// Atomics, volatile accesses and fences, with which threads synchronise; and spin loops: a thread that polls a flag must let
// the thread that sets it run.
#include "signals.h"

#include "execution.h"
#include "global_races.h"
#include "shared_memory.h"

using namespace simt;

namespace {
constexpr unsigned kAtomicsPerTurn = 64;  // one that only counts need not give way each time
constexpr unsigned kReadsPerTurn = 256;

bool is_checked() { return simt_access->on_device && execution.launch->module->checked; }

bool is_shared(uintptr_t address) { return address - shared_memory.begin() < shared_memory.bytes(); }  // own block's only

bool reaches_device(uintptr_t address, int kind) { return !is_shared(address) && !(kind & OF_BLOCK); }

// What a read hears. A CAS hears in detail when it is known whether it changed anything.
void hear(uintptr_t address, int kind, bool is_swap = false) {
    if (!simt_access->on_device) return;
    Block& block = *execution.block;
    unsigned thread = block.current().thread;
    bool is_tracked = execution.access.cells, reaches = reaches_device(address, kind);
    block.signals.receive(thread, shared_memory.epoch());
    if (is_tracked && !is_swap) block.order.receive(thread / kWarpSize, address, reaches);
    if (is_tracked && reaches) global_races.receive();
}

// What a write tells. Returns its kind, with what that makes of it. `restores`: it stores a value regardless of the old one.
int tell(uintptr_t address, int kind, bool restores) {
    if (!simt_access->on_device) return kind;
    Block& block = *execution.block;
    unsigned thread = block.current().thread;
    bool is_tracked = execution.access.cells, reaches = reaches_device(address, kind);
    if (block.signals.send(thread, shared_memory.epoch()) && kind & VOLATILE) kind |= RELEASED;
    if (is_tracked) block.order.send(thread / kWarpSize, address, reaches, restores);
    if (is_tracked && reaches) global_races.send(shared_memory.moment());
    return kind;
}

void take_turn(const void* address, size_t bytes, const void* pc) {
    Fiber& self = execution.block->current();
    self.atomics = 0;
    bool in_vain = self.looks_back.end_round();
    self.polled = address;
    self.polled_bytes = bytes;
    execution.block->yield(pc, in_vain ? Turn::in_vain : Turn::progress);
}

// A thread that has only seen what it saw before its last turn waits in vain. Whether it let others run.
bool look(const void* address, size_t bytes, unsigned per_turn, const void* pc) {
    Fiber& self = execution.block->current();
    if (self.atomics < LookBack::kLooks) self.looks_back.note(address, bytes);
    if (++self.atomics < per_turn) return false;
    take_turn(address, bytes, pc);
    return true;
}

// What others told meanwhile, because only now the access is made.
void hear_again(const void* pointer, int kind) {
    if (!is_checked() || !execution.access.cells) return;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    Block& block = *execution.block;
    block.order.receive(block.current().thread / kWarpSize, address, reaches_device(address, kind));
}
}  // namespace

extern "C" {
void simt_check_volatile(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    kind |= VOLATILE;
    if (kind & READ) hear(address, kind);
    if (kind & WRITE) kind = tell(address, kind, true);
    simt_check_range(reinterpret_cast<const void*>(address), bytes, kind, pc);
    if (!simt_access->on_device) return;
    if (kind & WRITE && !is_shared(address)) execution.block->order.write_volatile(execution.access.touch.thread / kWarpSize);
    auto pointer = reinterpret_cast<const void*>(address);
    if (!(kind & READ)) return;
    if (look(pointer, bytes, kReadsPerTurn, pc)) hear_again(pointer, 0);
    execution.block->order.read_volatile(execution.access.touch.thread / kWarpSize, address);
}

void simt_check_atomic(const void* pointer, uintptr_t bytes, int kind, const void* pc) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    kind |= ATOMIC | (address % bytes ? MISALIGNED : 0);
    if (kind & READ && !(kind & WRITE)) hear(address, kind);
    if (kind & WRITE) kind = tell(address, kind, !(kind & READ));
    simt_check_range(pointer, bytes, kind, pc);
    if (kind & READ && kind & WRITE) hear(address, kind);  // what it reads orders what follows, not itself
}

void simt_atomic_access(const void* pointer, size_t bytes, int traits) {
    const void* pc = __builtin_return_address(0);
    if (!simt_access->on_device) return;
    if (is_checked()) {
        auto address = reinterpret_cast<uintptr_t>(pointer);
        int kind = READ | WRITE | ATOMIC | (traits & SIMT_SELECTS ? SELECTING : 0) | (traits & SIMT_OF_BLOCK ? OF_BLOCK : 0);
        kind = tell(address, kind | (address % bytes ? MISALIGNED : 0), traits & SIMT_STORES);
        // What stores without regard to the old value initialises the word.
        simt_check_range(pointer, bytes, traits & SIMT_STORES ? kind & ~READ : kind, pc);
        hear(address, kind, traits & SIMT_SWAPS);
    }
    bool was_turn = look(pointer, bytes, kAtomicsPerTurn, pc);
    if (was_turn && !(traits & SIMT_SWAPS)) hear_again(pointer, traits & SIMT_OF_BLOCK ? OF_BLOCK : 0);
}

void simt_swap_done(const void* pointer, int succeeded, uint64_t expected, int traits) {
    if (!is_checked() || !execution.access.cells) return;
    Block& block = *execution.block;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    unsigned warp = block.current().thread / kWarpSize;
    bool hears_device = reaches_device(address, traits & SIMT_OF_BLOCK ? OF_BLOCK : 0);
    if (succeeded) block.order.take(warp, address, expected, hears_device);
    else block.order.receive(warp, address, hears_device);
}

void simt_fence(int scope) {
    if (!is_checked()) return;
    Block& block = *execution.block;
    unsigned thread = block.current().thread;
    block.signals.fence(thread, block.warp_of(thread), shared_memory.epoch());
    if (execution.access.cells) block.order.fence(thread / kWarpSize, scope);
}

void simt_spin(const void* pc) {
    if (!simt_access->on_device || ++execution.block->current().looks < kReadsPerTurn) return;
    execution.block->current().looks = 0;
    execution.block->yield(pc);
}

void simt_spin_on(const void* address, size_t bytes, const void* pc) {
    if (simt_access->on_device && look(address, bytes, kReadsPerTurn, pc)) hear_again(address, 0);
}
}
