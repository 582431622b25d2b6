// What device code calls. Each entry point hands its return address on: that is where a finding lies.
#include <string.h>

#include "execution.h"
#include "findings.h"

using namespace simt;

extern "C" {
int simt_on_device(void) { return simt_access->on_device; }

void simt_barrier(void) { execution.block->barrier(0, 0, __builtin_return_address(0)); }

int simt_barrier_reduce(int predicate, int op) {
    return execution.block->barrier(predicate, op, __builtin_return_address(0));
}

const simt_warp_values* simt_warp_collect(uint32_t mask, uint64_t lo, uint64_t hi, int op) {
    return &execution.block->collect(mask, lo, hi, op, __builtin_return_address(0));
}

uint32_t simt_active_mask(void) { return execution.block->active_mask(__builtin_return_address(0)); }

unsigned simt_linear_thread(void) { return execution.block->current().thread; }
unsigned simt_lane(void) { return execution.block->current().thread % kWarpSize; }

int64_t simt_clock(void) {
    // Time passes with every look at the clock, and others may run meanwhile: a loop that waits for it ends.
    execution.block_cycles += 64;
    int64_t now = int64_t(execution.block_cycles);
    simt_spin(__builtin_return_address(0));
    return now;
}

void simt_trap(const char* what, const char* file, int line) {
    report({.kind = "trap", .call_site = __builtin_return_address(0), .note = what ? what : "", .file = file, .line = line});
    fail_launch(what && strcmp(what, "assert") == 0 ? cudaErrorAssert : cudaErrorLaunchFailure);
}
}
