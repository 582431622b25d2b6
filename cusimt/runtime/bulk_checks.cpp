#include "bulk_checks.h"

#include <string.h>

#include <algorithm>
#include <optional>
#include <string>

#include "execution.h"
#include "findings.h"
#include "shared_memory.h"

namespace simt {

namespace {
[[noreturn]] void fail(const Report& what, int error) {
    report(what);
    fail_launch(error);
}

Party party_of(const Touch& touch) {
    return {shared_memory.call_site_of(touch), touch.kind, running_block->index(), execution.thread_index[touch.thread]};
}

// A finding about the source in shared memory, at the call that made the copy.
void report_source(const char* kind, const BulkCopy& copy, uintptr_t address, std::optional<Party> other, const char* note) {
    Report what{.kind = kind,
                .call_site = copy.call_site,
                .access = READ,
                .bytes = copy.bytes,
                .address = address,
                .space = is_shared(address) ? "shared" : "global",
                .other = other,
                .note = note,
                .block = running_block->index(),
                .thread = execution.thread_index[copy.thread]};
    if (is_shared(address)) {
        SharedArray array = shared_memory.array_at(address);
        what.allocation = shared_memory.memory_of(array);
        what.array = array.name;
    } else {
        what.allocation = nearest_allocation(address);
    }
    report(what);
}

// Accesses that the copy makes now are the thread's that made it.
template <typename Each>
void as_its_thread(const BulkCopy& copy, Each each) {
    Block& block = *running_block;
    unsigned running = block.current().thread;
    shared_memory.enter(copy.thread, block.warp_of(copy.thread).clocks);
    std::for_each(copy.strips.begin(), copy.strips.end(), each);
    shared_memory.enter(running, block.warp_of(running).clocks);
}

// Ordinary stores that the copy may not see yet: the first is reported.
void check_fence(const BulkCopy& copy) {
    const Block& block = *running_block;
    const LaneClocks& clocks = running_block->warp_of(copy.thread).clocks;
    for (const Strip& strip : copy.strips) {
        if (!strip.from) continue;
        const Touch* unfenced = shared_memory.find_write(strip.from, strip.bytes, [&](const Touch& write) {
            return !(write.kind & OF_BULK_COPY) && !shared_memory.races(write, READ) &&
                   !block.proxy_fences.lies_between(write, copy.thread, copy.epoch, clocks);
        });
        if (!unfenced) continue;
        report_source("proxy_fence", copy, strip.from, party_of(*unfenced), "");
        return;
    }
}
}  // namespace

bool is_from_shared(const BulkCopy& copy) {
    auto first = std::find_if(copy.strips.begin(), copy.strips.end(), [](const Strip& strip) { return strip.from != 0; });
    return first != copy.strips.end() && is_shared(first->from);
}

void refuse_copy(const std::string& why, const void* call_site) {
    fail({.kind = "illegal_instruction", .call_site = call_site, .note = why}, cudaErrorIllegalInstruction);
}

void require_alignment(uintptr_t address, uintptr_t unit, uint32_t bytes, int kind, const void* call_site) {
    if (address % unit == 0) return;
    fail({.kind = "misaligned",
          .call_site = call_site,
          .access = kind,
          .bytes = bytes,
          .address = address,
          .space = is_shared(address) ? "shared" : "global",
          .allocation = find_allocation(address),
          .note = "a bulk copy needs a multiple of " + std::to_string(unit) + " bytes"},
         cudaErrorMisalignedAddress);
}

void check_linear(uintptr_t to, uintptr_t from, uint32_t bytes, const void* call_site) {
    require_alignment(to, kBulkUnit, bytes, WRITE, call_site);
    require_alignment(from, kBulkUnit, bytes, READ, call_site);
    if (bytes % kBulkUnit) refuse_copy("cp.async.bulk copies a multiple of 16 bytes, not " + std::to_string(bytes), call_site);
}

void check_target(uintptr_t address, uint32_t bytes, int kind, const void* call_site) {
    if (is_shared(address) && (bytes == 0 || is_shared(address + bytes - 1))) return;
    fail({.kind = "out_of_bounds",
          .call_site = call_site,
          .access = kind,
          .bytes = bytes,
          .address = address,
          .space = "shared",
          .note = "a bulk copy has one side in the block's shared memory"},
         cudaErrorIllegalAddress);
}

void check_object(const uint64_t* barrier, const void* call_site) {
    require_alignment(uintptr_t(barrier), sizeof *barrier, sizeof *barrier, READ | WRITE, call_site);
    check_target(uintptr_t(barrier), sizeof *barrier, READ | WRITE, call_site);
    if (is_checked_launch()) simt_check_range(barrier, sizeof *barrier, READ | WRITE | ATOMIC, call_site);
}

void check_made(const BulkCopy& copy) {
    for (const Strip& strip : copy.strips) {
        if (strip.from) simt_check_range(reinterpret_cast<void*>(strip.from), strip.bytes, READ, copy.call_site);
        int kind = is_shared(strip.to) ? WRITE | OF_BULK_COPY : WRITE;
        simt_check_range(reinterpret_cast<void*>(strip.to), strip.bytes, kind, copy.call_site);
    }
    if (is_from_shared(copy)) check_fence(copy);
}

void note_flight(const BulkCopy& copy) {
    for (const Strip& strip : copy.strips) {
        running_block->copies.mark(strip.to, strip.bytes, copy.thread, copy.call_site, true);
    }
}

void note_landing(const BulkCopy& copy) {
    for (const Strip& strip : copy.strips) {
        running_block->copies.mark(strip.to, strip.bytes, copy.thread, copy.call_site, false);
    }
}

void note_arrival(const BulkCopy& copy) {
    as_its_thread(
        copy, [&](const Strip& strip) { shared_memory.access(strip.to, strip.bytes, WRITE | OF_BULK_COPY, copy.call_site); });
}

void note_reading(const BulkCopy& copy) {
    as_its_thread(copy, [&](const Strip& strip) {
        if (strip.from) shared_memory.access(strip.from, strip.bytes, READ | SPARE, copy.call_site);
    });
}

// In shared memory any later write counts, of the same value, too: those of other warps before the next barrier are races.
void check_source(const BulkCopy& copy) {
    if (is_from_shared(copy)) {
        auto is_later = [&](const Touch& write) {
            bool same_warp = write.thread / kWarpSize == copy.thread / kWarpSize;
            return write.epoch > copy.epoch || (write.epoch == copy.epoch && same_warp && write.clock > copy.clock);
        };
        for (const Strip& strip : copy.strips) {
            const Touch* later = strip.from ? shared_memory.find_write(strip.from, strip.bytes, is_later) : nullptr;
            if (!later) continue;
            report_source("copy_source", copy, strip.from, party_of(*later), "");
            return;
        }
        return;
    }
    size_t at = 0;
    for (const Strip& strip : copy.strips) {
        const uint8_t* before = &copy.content[at];
        at += strip.bytes;
        if (!strip.from || memcmp(before, reinterpret_cast<void*>(strip.from), strip.bytes) == 0) continue;
        report_source("copy_source", copy, strip.from, std::nullopt, "");
        return;
    }
}

void report_unread(const BulkCopy& copy) {
    for (const Strip& strip : copy.strips) {
        if (!strip.from) continue;
        report_source("copy_source", copy, strip.from, std::nullopt, "its thread returned");
        return;
    }
}

}  // namespace simt
