// The running launch. Launches are serialised, so there is only one; it may be read on its fibers, or under its lock. While its
// blocks run it stays as it is, but for what a block writes in its turn (its error) and the state of hooks, which only a checked
// module has: its blocks run on one OS thread.
#pragma once
#include <stdint.h>

#include <exception>
#include <mutex>
#include <string>

#include "access_state.h"
#include "block.h"
#include "cuda_runtime_api.h"
#include "simt_api.h"

namespace simt {

struct Execution {
    const simt_launch* launch = nullptr;
    int device = 0;
    uint64_t id = 0;                       // counts launches
    uint32_t first_epoch = 0;              // of its accesses to global memory; 0 where they are not recorded
    uint3 thread_index[kMaxBlockThreads];  // threadIdx of each linear thread, for this block shape
    double begin_us = 0;                   // when it begins, on the clock of the streams
    uint64_t cycles = 0;                   // simulated clock, longest of the blocks, once they have ended
    uint64_t blocks_run = 0;               // of the launch, once it has ended: all, unless this run samples
    int error = 0;                         // fatal: becomes the sticky error
    std::exception_ptr exception;
    std::string refusal;       // why a GPU would not have begun this launch
    bool has_workers = false;  // several OS threads run its blocks
    AccessState access{};
};
extern Execution execution;
// The block that this OS thread runs.
extern __thread Block* running_block __attribute__((tls_model("initial-exec")));
extern Schedule schedule;  // of the launches to come
extern AccessState host_access;
extern std::recursive_mutex launch_lock;

// Whether the kernel's accesses are checked: a program with the hooks may be linked of objects that do not call them.
inline bool has_checks(const simt_launch& launch) { return launch.module->checked && launch.is_instrumented; }

// The running launch has hooks: its module was compiled with them.
inline bool is_checked_launch() { return execution.launch->module->checked; }
// In the shared memory of the block that this OS thread runs, no other's.
inline bool is_shared(uintptr_t address) { return running_block->is_shared(address); }

// A fatal finding was made on the running fiber: the launch fails with `error`, the block is dropped.
[[noreturn]] void fail_launch(int error);
// The kernel's static shared memory, of which this much was found in use, is more than a block may have.
[[noreturn]] void refuse_static_shared(size_t bytes);
[[noreturn]] void fail_by_timeout(const void* call_site = nullptr);
[[noreturn]] void end_early(const void* call_site = nullptr);  // as its worker's `ends` says

// ---- errors.cpp: the answers of cudaGetLastError and cudaPeekAtLastError ----
int set_error(int error);  // stores a non-zero error as this thread's last error; returns it
void set_sticky_error(int error);
int sticky_error();

// ---- devices and streams, as launches need them ----
int current_device();
int check_stream(cudaStream_t stream);  // 0 or cudaErrorInvalidResourceHandle

// ---- records.cpp ----
void record_launch(const simt_launch& launch, int device, int error, double time_us, const struct Submitted& work);
void describe_launch(class JsonLine& json, const simt_launch& launch, int device, int error, double time_us);

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
extern __thread uint3 threadIdx __attribute__((tls_model("initial-exec")));
extern __thread uint3 blockIdx __attribute__((tls_model("initial-exec")));
extern __thread dim3 blockDim __attribute__((tls_model("initial-exec")));
extern __thread dim3 gridDim __attribute__((tls_model("initial-exec")));
}
#pragma GCC visibility pop
