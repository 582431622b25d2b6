// Launches a grid: validates the configuration, runs the blocks, records the outcome.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <utility>

#include "captures.h"
#include "counting.h"
#include "device_limits.h"
#include "device_model.h"
#include "execution.h"
#include "faults.h"
#include "findings.h"
#include "global_races.h"
#include "host_uses.h"
#include "kernel_facts.h"
#include "modules.h"
#include "sample.h"
#include "shared_memory.h"
#include "shield.h"
#include "settings.h"
#include "stream_uses.h"
#include "streams.h"
#include "turns.h"

extern "C" {
__thread simt::AccessState* simt_access __attribute__((tls_model("initial-exec"))) = &simt::host_access;
__thread uint3 threadIdx __attribute__((tls_model("initial-exec")));
__thread uint3 blockIdx __attribute__((tls_model("initial-exec")));
__thread dim3 blockDim __attribute__((tls_model("initial-exec")));
__thread dim3 gridDim __attribute__((tls_model("initial-exec")));
}

namespace simt {

Execution execution;
__thread Block* running_block __attribute__((tls_model("initial-exec")));
AccessState host_access;
std::recursive_mutex launch_lock;

Schedule schedule = chosen_schedule();
int until_refused = 0;  // simt_refuse_launch: launches up to the refused one, itself included; 0: none is

namespace {
__attribute__((constructor(103))) void open_host_access() {
    size_t watched = arena.region_bytes * kRegions;  // device and pinned memory
    host_access.quiet_begin = arena.begin + watched;
    host_access.quiet_bytes = 0 - watched;  // everything else, around the end of the address space
}

uint64_t volume(const uint32_t extent[3]) { return uint64_t(extent[0]) * extent[1] * extent[2]; }

std::string beyond_launch_bounds(uint64_t threads, int most) {
    return "the block has " + std::to_string(threads) + " threads; at most " + std::to_string(most) +
           " by its __launch_bounds__";
}

// In the words of ptxas, for which this is an error.
std::string too_much_static_shared(size_t bytes) {
    char text[100];
    snprintf(text, sizeof text, "the kernel uses too much shared data (0x%zx bytes, 0x%zx max)", bytes, kSharedPerBlock);
    return text;
}

struct Refusal {
    int error = 0;
    std::string why;
};

// cudaErrorInvalidValue is what CUDA 13.0 answers on an H200; older runtimes say cudaErrorInvalidConfiguration.
Refusal refuse_dimensions(const simt_launch& launch) {
    static const char axis[] = "xyz";
    for (int i = 0; i < 3; ++i) {
        std::string name(1, axis[i]);
        if (launch.grid[i] == 0) return {cudaErrorInvalidValue, "the grid has 0 blocks in " + name};
        if (launch.block[i] == 0) return {cudaErrorInvalidValue, "the block has 0 threads in " + name};
        if (launch.grid[i] > kGridLimit[i]) {
            return {cudaErrorInvalidValue, "the grid has " + std::to_string(launch.grid[i]) + " blocks in " + name +
                                               "; at most " + std::to_string(kGridLimit[i])};
        }
        if (launch.block[i] > kBlockLimit[i]) {
            return {cudaErrorInvalidValue, "the block has " + std::to_string(launch.block[i]) + " threads in " + name +
                                               "; at most " + std::to_string(kBlockLimit[i])};
        }
    }
    if (uint64_t threads = volume(launch.block); threads > kThreadsPerBlock) {
        return {cudaErrorInvalidValue,
                "the block has " + std::to_string(threads) + " threads; at most " + std::to_string(kThreadsPerBlock)};
    }
    return {};
}

Refusal refuse_resources(const simt_launch& launch) {
    KernelFacts facts = kernel_facts(launch.function);
    if (uint64_t threads = volume(launch.block); threads > uint64_t(facts.most_threads)) {
        return {cudaErrorInvalidValue, beyond_launch_bounds(threads, facts.most_threads)};
    }
    if (facts.static_shared > kSharedPerBlock) return {cudaErrorInvalidValue, too_much_static_shared(facts.static_shared)};
    if (size_t limit = dynamic_shared_limit(launch.function); launch.dynamic_shared > limit) {
        std::string why = std::to_string(launch.dynamic_shared) + " bytes of dynamic shared memory; this kernel may have " +
                          std::to_string(limit);
        if (launch.dynamic_shared <= device_model().shared_per_block_optin) why += " (more after cudaFuncSetAttribute)";
        return {cudaErrorInvalidValue, why};
    }
    return {};
}

Refusal refuse(const simt_launch& launch) {
    if (Refusal refusal = refuse_dimensions(launch); refusal.error) return refusal;
    if (Refusal refusal = refuse_resources(launch); refusal.error) return refusal;
    if (int error = check_stream(static_cast<cudaStream_t>(launch.stream))) {
        return {error, "the stream does not belong to the current device"};
    }
    uint64_t resident = uint64_t(resident_blocks_of(launch.function, int(volume(launch.block)), launch.dynamic_shared));
    resident *= uint64_t(device_model().multiprocessors);
    if (launch.cooperative && volume(launch.grid) > resident) {
        return {cudaErrorCooperativeLaunchTooLarge,
                "the blocks of a cooperative launch must all be resident at once; "
                "at most " +
                    std::to_string(resident) + " are"};
    }
    return {};
}

void set_thread_indices(const simt_launch& launch) {
    static uint32_t shape[3];  // of the indices that are there
    if (std::equal(shape, shape + 3, launch.block)) return;
    unsigned linear = 0;
    for (unsigned z = 0; z < launch.block[2]; ++z)
        for (unsigned y = 0; y < launch.block[1]; ++y)
            for (unsigned x = 0; x < launch.block[0]; ++x) execution.thread_index[linear++] = {x, y, z};
    std::copy(launch.block, launch.block + 3, shape);
}

void begin_execution(const simt_launch& launch) {
    execution.launch = &launch;
    execution.device = current_device();
    execution.id += 1;
    execution.error = 0;
    execution.exception = nullptr;
    execution.refusal.clear();
    execution.begin_us = start_of_next(launch.stream);
    execution.cycles = 0;
    execution.blocks_run = 0;
    set_thread_indices(launch);
    if (shared_memory.restart_epochs()) {
        global_races.forget_all();
        stream_uses.forget_epochs();
        host_uses.may_have_waited();
    }
    shared_memory.begin_launch(*launch.module, launch.dynamic_shared, launch.module->checked);
    AccessState& access = execution.access;
    access.arena_begin = arena.region_begin(execution.device);
    access.arena_bytes = arena.region_bytes;
    access.marks = arena.mark(access.arena_begin);
    access.shared_begin = shared_memory.begin();
    access.shared_bytes = shared_memory.bytes();
    access.on_device = 1;
    access.cells = access.parts = nullptr;
    if (launch.module->checked) {
        global_races.begin_launch(shared_memory.next_epoch(), execution.device, stream_uses.beside(launch));
    }
    execution.first_epoch = access.cells ? shared_memory.next_epoch() : 0;
    counting.begin_launch(launch, access);
}

// Launch overhead, one microsecond for each wave of resident threads, and the time its clock says it spun: a model, so that
// streams and events have an order and kernels that wait for clock64() take their time.
double modelled_duration(const simt_launch& launch) {
    double resident = double(device_model().multiprocessors) * device_model().threads_per_multiprocessor;
    double waves = double(volume(launch.grid)) * double(volume(launch.block)) / resident;
    return 2.0 + waves + double(execution.cycles) / (device_model().clock_khz / 1000.0);
}

int refused(const simt_launch& launch, const Refusal& refusal) {
    report({.kind = "invalid_launch", .note = refusal.why, .file = launch.file ? launch.file : "", .line = launch.line});
    record_launch(launch, current_device(), refusal.error, 0, {});
    return set_error(refusal.error);
}

// What only a thread of the kernel could find out, before it did anything.
int withdraw(const simt_launch& launch) {
    execution.access.on_device = 0;
    return refused(launch, {cudaErrorInvalidValue, execution.refusal});
}

// In a run that collects findings, a kernel that nothing is checked of is reported.
void report_missing_checks(const simt_launch& launch) {
    const char* wanted = getenv("CUSIMT_CHECKS");
    if (has_checks(launch) || !wanted || *wanted != '1' || !getenv("CUSIMT_FINDINGS")) return;
    report({.kind = "unchecked_kernel", .note = launch.module->path, .block = uint3{}, .thread = uint3{}});
}

int finish(const simt_launch& launch) {
    double time_us = modelled_duration(launch);
    Submitted work = advance_stream(launch.stream, time_us);
    Epochs epochs{execution.first_epoch, shared_memory.next_epoch()};
    stream_uses.launched(launch, work.moment, epochs);
    host_uses.launched(launch, work.moment, epochs);
    if (!launch.is_trial) record_launch(launch, execution.device, execution.error, time_us, work);
    counting.end_launch(launch, execution.device, execution.error, time_us);
    execution.access.on_device = 0;
    if (!execution.error) return cudaSuccess;
    set_sticky_error(execution.error);
    set_error(execution.error);
    const char* blocking = getenv("CUDA_LAUNCH_BLOCKING");
    return blocking && *blocking == '1' ? execution.error : cudaSuccess;
}
}  // namespace

void fail_launch(int error) {
    running_block->await_turn();
    execution.error = error;
    running_block->drop();
}

void refuse_static_shared(size_t bytes) {
    running_block->await_turn();
    execution.refusal = too_much_static_shared(bytes);
    running_block->drop();
}

void end_early(const void* call_site) {
    if (running_block->worker().ends == kDropped) running_block->drop();
    fail_by_timeout(call_site);
}

// A thread that has polled something since it began waits for it, most likely.
void fail_by_timeout(const void* call_site) {
    const Fiber& self = running_block->current();
    auto address = reinterpret_cast<uintptr_t>(self.polled);
    bool in_arena = self.polled && arena.region(address) >= 0;
    report({.kind = "timeout",
            .call_site = call_site,
            .access = in_arena ? READ : 0,
            .bytes = in_arena ? self.polled_bytes : 0,
            .address = in_arena ? address : 0,
            .space = in_arena ? "global" : nullptr,
            .allocation = in_arena ? nearest_allocation(address) : std::nullopt,
            .is_left = true});
    fail_launch(cudaErrorLaunchTimeout);
}

}  // namespace simt

using namespace simt;

extern "C" {
int simt_launch_kernel(const simt_launch* launch) {
    if (simt_access->on_device) {
        report({.kind = "invalid_launch", .note = "a kernel launched from device code is not supported"});
        return cudaErrorNotSupported;
    }
    std::lock_guard lock(launch_lock);
    if (int error = sticky_error()) return set_error(error);
    if (until_refused > 0 && --until_refused == 0) {
        record_launch(*launch, current_device(), cudaErrorLaunchOutOfResources, 0, {});
        return set_error(cudaErrorLaunchOutOfResources);
    }
    if (Refusal refusal = refuse(*launch); refusal.error) return refused(*launch, refusal);
    if (is_kept(*launch)) return cudaSuccess;
    if (std::optional<int> answer = capture_launch(*launch)) return set_error(*answer);
    OpenShield open;
    begin_execution(*launch);
    report_missing_checks(*launch);
    {
        FaultGuard guard;
        run_grid(*launch, schedule);
    }
    if (execution.access.cells) global_races.end_launch();
    static_data(*launch->module).end_launch();
    if (launch->module->checked && is_shield_up()) shared_memory.wipe();
    if (uint64_t blocks = volume(launch->grid); execution.blocks_run && execution.blocks_run < blocks) {
        report_sampled(execution.blocks_run, blocks);
    }
    settle_findings();
    if (!execution.refusal.empty()) return withdraw(*launch);
    int error = finish(*launch);
    if (execution.exception) std::rethrow_exception(std::exchange(execution.exception, nullptr));
    return error;
}

void simt_exceed_launch_bounds(int most) {
    running_block->await_turn();
    execution.refusal = beyond_launch_bounds(running_block->threads(), most);
    running_block->drop();
}

void simt_refuse_launch(int which) {
    std::lock_guard lock(launch_lock);
    until_refused = which;
}

// A library returns this error as its status, and leaves none that cudaGetLastError would find.
int simt_refuse_temporary(const char* name, size_t bytes, size_t needed, const char* file, int line) {
    std::lock_guard lock(launch_lock);
    std::string why = std::string(name) + " needs " + std::to_string(needed) +
                      " bytes of temporary storage for this call, and was given " + std::to_string(bytes);
    report({.kind = "invalid_launch", .note = why, .file = file, .line = line});
    return cudaErrorInvalidValue;
}

void simt_set_schedule(int order, uint64_t seed) {
    std::lock_guard lock(launch_lock);
    schedule = Schedule(Schedule::Order(order), seed);
}
}
