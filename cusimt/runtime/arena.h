// Simulated memory: one reserved range of addresses, cut into the devices' memories and the pinned host memory.
//
//   [ device 0 ][ device 1 ][ pinned host memory ]        and, of the same shape, one mark per byte (SIMT_* in simt_api.h)
//
// Pages are committed as allocations need them. Each allocation has exactly the bytes asked for, begins on a multiple of 512
// and ends before a redzone whose marks say "not allocated": of at least 4096 bytes, of 128 on the heap of kernels.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <optional>
#include <vector>

#include "simt_api.h"

namespace simt {

constexpr int kDevices = 2;

constexpr int kPinned = kDevices;  // region index of pinned host memory
constexpr int kRegions = kDevices + 1;
constexpr uint8_t kPoison = 0xA5;

inline bool is_device(int device) { return device >= 0 && device < kDevices; }

struct Allocation {
    uintptr_t base = 0;
    size_t bytes = 0;
    size_t span = 0;  // with alignment and redzone
    int region = 0;
    bool freed = false;
    bool managed = false;      // host code may touch it
    bool lazy = false;         // too large to poison: unmarked bytes count as unwritten, contents are zero
    bool runtime_api = false;  // from the cudaMalloc family, whose cudaFree alone may free it
    int home = 0;              // device that was current when pinned memory was allocated
    bool heap = false;         // of kernels (device_heap.h): no memory of the runtime API
};

struct Arena {
    uintptr_t begin = 0;
    size_t region_bytes = 0;
    uint8_t* marks = nullptr;
    size_t device_bytes() const { return region_bytes * kDevices; }
    uintptr_t region_begin(int region) const { return begin + region_bytes * size_t(region); }
    uint8_t* mark(uintptr_t address) const { return marks + (address - begin); }
    // The region holding the address, or -1.
    int region(uintptr_t address) const {
        return address - begin < region_bytes * kRegions ? int((address - begin) / region_bytes) : -1;
    }
};
extern Arena arena;  // fixed when the library is loaded

struct AllocationOptions {
    bool managed = false;
    bool runtime_api = false;
    int home = 0;
    bool heap = false;
};
void* allocate(int region, size_t bytes, const AllocationOptions& options = {});
enum class Release { done, unknown, already_freed };
// `runtime_api`: only pointers from the cudaMalloc family may be freed; anything else is `unknown`.
Release release(void* pointer, bool runtime_api);
Release release_heap(void* pointer);  // `unknown` for all but memory of the heap of kernels

// The live allocation that holds the address.
std::optional<Allocation> find_allocation(uintptr_t address);
// The allocation, live or freed, that begins at or below the address and is nearest to it: what an overrun overran.
std::optional<Allocation> nearest_allocation(uintptr_t address);
// The allocation, live or freed, in front of the one that begins at `base`.
std::optional<Allocation> allocation_below(uintptr_t base);
bool is_committed(uintptr_t address, size_t bytes);
std::vector<Allocation> live_allocations(int region);  // by address
// Simulated capacity and what is left of it.
void memory_info(int device, uint64_t* free_bytes, uint64_t* total_bytes);

}  // namespace simt
