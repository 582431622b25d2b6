// Reserves the simulated memory and its marks, and hands out allocations from the regions.
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "driver_contexts.h"
#include "region.h"
#include "shield.h"
#include "stream_uses.h"
#include "streams.h"

namespace simt {

Arena arena;
// Before open_arena(), which is before any other library's constructor.
__attribute__((init_priority(101))) Region regions[kRegions];

namespace {
// NORESERVE: the kernel counts no page before it is touched, or fork() of a process with much of it open would fail.
void* reserve(size_t bytes, int protection) {
    void* range = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? nullptr : range;
}

// Address space is not memory, but an emulator or a limit may grant less of it: take the largest size that fits.
// Marks are readable from the start (an untouched page reads as zero, "not allocated") so that no hook must ask first.
__attribute__((constructor(102))) void open_arena() {
    for (size_t bytes = size_t(64) << 30; bytes >= size_t(64) << 20; bytes /= 2) {
        void* memory = reserve(bytes * kRegions, PROT_NONE);
        void* marks = memory ? reserve(bytes * kRegions, PROT_READ) : nullptr;
        if (!marks) {
            if (memory) munmap(memory, bytes * kRegions);
            continue;
        }
        madvise(memory, bytes * kRegions, MADV_DONTDUMP);  // a core file of 200 gigabytes helps nobody
        madvise(marks, bytes * kRegions, MADV_DONTDUMP);
        arena = {reinterpret_cast<uintptr_t>(memory), bytes, static_cast<uint8_t*>(marks)};
        for (int i = 0; i < kRegions; ++i) regions[i].open(i, arena.region_begin(i), bytes);
        return;
    }
    fputs("cusimt: no address space for simulated device memory (is RLIMIT_AS set? unset it).\n", stderr);
    abort();
}

uintptr_t address_of(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }
}  // namespace

void* allocate(int region, size_t bytes, const AllocationOptions& options) {
    OpenShield open;  // fresh memory is filled with poison
    return regions[region].allocate(bytes, options);
}

Release release(void* pointer, bool runtime_api) {
    OpenShield open;
    int region = arena.region(address_of(pointer));
    if (region < 0) return Release::unknown;
    stream_uses.released(address_of(pointer), !runtime_api);
    return regions[region].release(address_of(pointer), runtime_api ? Owner::runtime_api : Owner::any);
}

Release release_heap(void* pointer) {
    OpenShield open;
    int region = arena.region(address_of(pointer));
    return region < 0 ? Release::unknown : regions[region].release(address_of(pointer), Owner::heap);
}

std::optional<Allocation> find_allocation(uintptr_t address) {
    int region = arena.region(address);
    return region < 0 ? std::nullopt : regions[region].holding(address);
}

std::optional<Allocation> nearest_allocation(uintptr_t address) {
    int region = arena.region(address);
    return region < 0 ? std::nullopt : regions[region].nearest(address);
}

std::optional<Allocation> allocation_below(uintptr_t base) {
    int region = arena.region(base);
    return region < 0 ? std::nullopt : regions[region].below(base);
}

bool is_committed(uintptr_t address, size_t bytes) {
    int region = arena.region(address);
    if (region < 0) return false;
    uintptr_t end = regions[region].committed_end();
    return address <= end && bytes <= end - address;
}

std::vector<Allocation> live_allocations(int region) { return regions[region].live(); }

void memory_info(int device, uint64_t* free_bytes, uint64_t* total_bytes) {
    *total_bytes = regions[device].capacity();
    *free_bytes = *total_bytes - std::min<uint64_t>(*total_bytes, regions[device].statistics().live_bytes);
}

}  // namespace simt

using namespace simt;

extern "C" {
int simt_device_count(void) { return kDevices; }

void* simt_allocate(int device, size_t bytes) {
    use_primary_context();
    return device < 0 || device >= kDevices ? nullptr : allocate(device, bytes);
}

void* simt_allocate_on(int device, size_t bytes, void* stream) {
    void* block = simt_allocate(device, bytes);
    if (!block) return nullptr;
    const Stream* owner = stream ? find_stream(stream) : &default_stream(device);
    if (owner) stream_uses.allocated(address_of(block), bytes, owner->key());
    return block;
}

void simt_record_stream(void* block, void* stream) {
    if (const Stream* other = find_stream(stream)) stream_uses.recorded(address_of(block), other->key());
}

void simt_stream_touches(void* stream, const void* begin, size_t bytes, const simt_stride* strides, size_t dimensions,
                         int writes, const char* call) {
    const Stream* found = find_stream(stream);
    if (!found) return;
    stream_uses.touched({address_of(begin), bytes, {strides, strides + dimensions}}, writes, call, found->latest());
}

void simt_release(void* pointer) {
    if (pointer) release(pointer, false);
}

int simt_is_device_pointer(const void* pointer) { return address_of(pointer) - arena.begin < arena.device_bytes(); }

int simt_pointer_device(const void* pointer) {
    int region = arena.region(address_of(pointer));
    return region < kDevices ? region : -1;
}

int simt_allocation(const void* pointer, void** base, size_t* bytes) {
    auto found = find_allocation(address_of(pointer));
    if (!found) return 0;
    if (base) *base = reinterpret_cast<void*>(found->base);
    if (bytes) *bytes = found->bytes;
    return 1;
}

void simt_memory(int device, simt_memory_statistics* statistics) { *statistics = regions[device].statistics(); }

void simt_memory_info(int device, uint64_t* free_bytes, uint64_t* total_bytes) { memory_info(device, free_bytes, total_bytes); }

void simt_reset_peak(int device) { regions[device].reset_peak(); }
}
