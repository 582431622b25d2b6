// A fiber runs CUDA threads: one after the other as long as they finish, or one that waits.
#pragma once
#include <stdint.h>

#include "context.h"
#include "look_back.h"
#include "simt_api.h"
#include "stacks.h"

namespace simt {

// What a parked fiber waits for; `turn`: nothing, it let others run first.
enum class Wait : uint8_t { none, turn, barrier, warp, active_mask, grid, phase };

struct Collective;

struct Fiber {
    Context context;
    Stack stack = take_stack();
    unsigned thread = 0;  // linear index in the block
    Wait wait = Wait::none;
    uint32_t active_mask = 0;         // the answer to simt_active_mask
    const void* call_site = nullptr;  // of the barrier or collective it waits in
    Collective* reading = nullptr;    // the collective whose values this thread may still read
    const void* awaited = nullptr;    // the barrier object whose phase it waits for
    uint64_t phase = 0;
    unsigned atomics = 0;  // since it last let others run
    unsigned looks = 0;    // at the clock, likewise: a loop that asks for both counts each
    LookBack looks_back;   // what it saw by them
    LatestReads latest_reads;
    const void* polled = nullptr;  // the last one before its turn
    size_t polled_bytes = 0;
    uint64_t launch = 0;  // the launch for which `context` was prepared

    Fiber() = default;
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber() { give_back_stack(stack); }
};

}  // namespace simt
