// The functions that device code calls. Each passes on its return address, to which findings are attributed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counting.h"
#include "device_model.h"
#include "execution.h"
#include "findings.h"

using namespace simt;

namespace {
// nvcc refuses such a call when it compiles; the host compiler cannot tell, so the program ends here.
[[noreturn]] void called_by_host(const char* what) {
    fprintf(stderr,
            "Host code called %s, by way of a __device__ function. What it asks for is there in kernels only.\n"
            "Launch a __global__ function, or keep it out of functions that the host calls, too.\n",
            what);
    abort();
}

[[noreturn]] void trap(const char* what, const char* file, int line, const void* pc) {
    if (!simt_access->on_device) called_by_host(what);
    report({.kind = "trap", .call_site = pc, .note = what, .file = file, .line = line});
    fail_launch(strcmp(what, "assert") == 0 ? cudaErrorAssert : cudaErrorLaunchFailure);
}

Block& block_of_call(const char* caller) {
    if (!simt_access->on_device) called_by_host(caller);
    return *running_block;
}
}  // namespace

extern "C" {
int simt_on_device(void) { return simt_access->on_device; }

void simt_await_turn(const void* address) {
    if (simt_access->on_device) running_block->await_turn_for(address);
}

int simt_is_cooperative(void) { return simt_access->on_device && execution.launch->cooperative; }

void simt_barrier(void) { block_of_call("__syncthreads").barrier(0, 0, __builtin_return_address(0)); }

int simt_barrier_reduce(int predicate, int op) {
    return block_of_call("__syncthreads_count or its kin").barrier(predicate, op, __builtin_return_address(0));
}

const simt_warp_values* simt_warp_collect(uint32_t mask, uint64_t lo, uint64_t hi, int op) {
    return &block_of_call("a warp operation").collect(mask, lo, hi, op, __builtin_return_address(0));
}

void simt_absent_lane(unsigned lane) {
    unsigned own = block_of_call("a warp operation").current().thread % kWarpSize;
    char note[120];
    snprintf(note, sizeof note, "lane %u takes the value of lane %u, which did not make this call", own, lane);
    report({.kind = "absent_lane", .call_site = __builtin_return_address(0), .note = note});
}

uint32_t simt_active_mask(void) { return block_of_call("__activemask").active_mask(__builtin_return_address(0)); }

unsigned simt_multiprocessors(void) { return unsigned(device_model().multiprocessors); }
unsigned simt_linear_thread(void) { return block_of_call("a question for its thread").current().thread; }
unsigned simt_lane(void) { return block_of_call("a question for its lane").current().thread % kWarpSize; }

int64_t simt_clock(void) {
    if (!simt_access->on_device) called_by_host("clock64");
    // Others may run meanwhile: a loop that waits for the clock ends.
    int64_t now = int64_t(running_block->look_at_clock());
    simt_spin(__builtin_return_address(0));
    return now;
}

long simt_clock_of_caller(void) { return simt_on_device() ? long(simt_clock()) : long(clock()); }

uint64_t simt_global_time(void) {
    double cycles = double(simt_clock()), per_nanosecond = device_model().clock_khz / 1e6;
    return uint64_t(execution.begin_us * 1000 + cycles / per_nanosecond);
}

void simt_device_assert(const char* expression, const char* file, unsigned line, const char* function) {
    if (simt_access->on_device) running_block->await_turn();
    dprintf(STDERR_FILENO, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
            blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, expression);
    trap("assert", file, int(line), __builtin_return_address(0));
}

void simt_count_multiply_adds(uint64_t count) {
    if (execution.access.counted) counting.multiply(count);
}

void simt_trap(const char* what, const char* file, int line) {
    trap(what ? what : "__trap", file, line, __builtin_return_address(0));
}
}
