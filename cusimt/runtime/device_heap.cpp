#include "device_heap.h"

#include "arena.h"
#include "execution.h"
#include "findings.h"
#include "global_cells.h"

using namespace simt;

namespace {
size_t limit = size_t(8) << 20;
bool is_in_use = false;
size_t used[kDevices];

// What an allocation takes from the heap. CUDA does not document its own overhead.
size_t cost(size_t bytes) {
    constexpr size_t kUnit = 16, kHeader = 16;
    return (bytes + kUnit - 1) / kUnit * kUnit + kHeader;
}
}  // namespace

namespace simt {

size_t heap_limit() { return limit; }

int set_heap_limit(size_t bytes) {
    if (is_in_use) return cudaErrorInvalidValue;
    limit = bytes;
    return cudaSuccess;
}

void empty_heap(int device) {
    for (const Allocation& allocation : live_allocations(device)) {
        if (allocation.heap) release_heap(reinterpret_cast<void*>(allocation.base));
    }
    used[device] = 0;
    is_in_use = false;
}

}  // namespace simt

void* simt_heap_allocate(size_t bytes) {
    running_block->await_turn();
    is_in_use = true;
    size_t& taken = used[execution.device];
    if (bytes == 0 || bytes > limit || cost(bytes) > limit - taken) return nullptr;
    void* pointer = allocate(execution.device, bytes, {.heap = true});
    if (!pointer) return nullptr;
    taken += cost(bytes);
    // The same launch may have used these addresses before, for memory that was freed since.
    global_cells.clear(reinterpret_cast<uintptr_t>(pointer), bytes);
    return pointer;
}

void simt_heap_release(void* pointer, const char* call, const void* pc) {
    running_block->await_turn();
    is_in_use = true;
    if (!pointer) return;
    auto address = reinterpret_cast<uintptr_t>(pointer);
    auto allocation = nearest_allocation(address);
    Release outcome = release_heap(pointer);
    if (outcome == Release::done) {
        used[allocation->region] -= cost(allocation->bytes);
        return;
    }
    report({.kind = outcome == Release::already_freed ? "double_free" : "invalid_free",
            .call_site = pc,
            .address = address,
            .space = "heap",
            .allocation = allocation,
            .note = call});
}
