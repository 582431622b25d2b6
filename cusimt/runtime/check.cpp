// The slow paths of the access hooks: classify an access that the fast path could not approve, and report it.
#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <string_view>

#include "access_state.h"
#include "arena.h"
#include "counting.h"
#include "device_limits.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "host_uses.h"
#include "modules.h"
#include "registered.h"
#include "sample.h"
#include "shared_memory.h"
#include "shield.h"

using namespace simt;

namespace {

bool is_mapped(uintptr_t address) {
    constexpr uintptr_t kPage = 4096;
    unsigned char resident[16];  // of pages of any size
    return mincore(reinterpret_cast<void*>(address / kPage * kPage), 1, resident) == 0 || errno != ENOMEM;
}

[[noreturn]] void fail_access(const Report& what, int error = cudaErrorIllegalAddress) {
    report(what);
    fail_launch(error);
}

[[noreturn]] void fail_misaligned(uintptr_t address, uintptr_t bytes, int kind, const char* space, const void* pc) {
    fail_access({.kind = "misaligned",
                 .call_site = pc,
                 .access = kind,
                 .bytes = bytes,
                 .address = address,
                 .space = space,
                 .allocation = find_allocation(address)},
                cudaErrorMisalignedAddress);
}

struct Verdict {
    const char* kind = nullptr;
    uintptr_t at = 0;
};

// The first byte of the access that is not fine. Marks all fine bytes of a write on the way.
Verdict judge(uintptr_t address, uintptr_t bytes, int kind) {
    Verdict verdict;
    for (uintptr_t byte = address; byte < address + bytes; ++byte) {
        uint8_t& mark = *arena.mark(byte);
        uint8_t before = mark;
        const char* wrong = nullptr;
        if (before == SIMT_FREED) wrong = "use_after_free";
        if (before == SIMT_UNALLOCATED) {  // or a byte of an allocation too large to have been marked
            auto allocation = find_allocation(byte);
            if (allocation && allocation->lazy) before = SIMT_UNWRITTEN;
            else wrong = "out_of_bounds";
        }
        if (before == SIMT_UNWRITTEN && kind & READ) wrong = "uninitialized_read";
        if (kind & WRITE && before != SIMT_FREED && before != SIMT_UNALLOCATED) mark = SIMT_KERNEL;
        if (wrong && !verdict.kind) verdict = {wrong, byte};
    }
    return verdict;
}

void report_overrun(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    SharedArray array = shared_memory.array_at(address);
    report({.kind = "out_of_bounds",
            .call_site = pc,
            .access = kind,
            .bytes = bytes,
            .address = address,
            .space = "shared",
            .allocation = shared_memory.memory_of(array),
            .array = array.name});
}

// Memory that is the host's as well: a way for data that no copy shows.
void note_mapped(uintptr_t address, uintptr_t bytes, int kind, const char* space, const void* pc) {
    if (!is_shield_up()) return;
    report({.kind = "mapped_memory",
            .call_site = pc,
            .access = kind,
            .bytes = bytes,
            .address = address,
            .space = space,
            .allocation = find_allocation(address)});
}

void check_anywhere(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    const AccessState& state = *simt_access;
    bool misaligned = kind & MISALIGNED;
    kind &= ~MISALIGNED;
    if (address - state.arena_begin < state.arena_bytes) {
        simt_check_global(address, bytes, kind, misaligned, pc);
        if (state.cells) global_races.access(address, bytes, kind, pc);
    } else if (address - state.quiet_begin < state.quiet_bytes) {
        return;
    } else if (address - state.shared_begin < state.shared_bytes) {
        simt_check_shared(address, bytes, kind, misaligned, pc);
    } else {
        simt_check_other(address, bytes, kind, pc);
    }
}

void count_and_check(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    counting.note(address, bytes, kind, pc);
    counting.show_ranges(true);
    check_anywhere(address, bytes, kind, pc);
    counting.show_ranges(false);
    counting.pace(pc);
}

// An access that only simt_check_other knows; what of the kind is about alignment is gone.
struct OtherAccess {
    uintptr_t address, bytes;
    int kind;
    const void* call_site;

    Report fault(const char* what, const char* space) const {
        return {.kind = what, .call_site = call_site, .access = kind, .bytes = bytes, .address = address, .space = space};
    }
};

// The host's own code, in a checked build.
void check_on_host(const OtherAccess& access, int region) {
    if (region < 0) return;
    auto allocation = region == kPinned ? std::nullopt : find_allocation(access.address);
    if (region == kPinned || (allocation && allocation->managed)) {
        return host_uses.touches(access.address, access.bytes, access.kind, access.call_site);
    }
    Report fault = access.fault("device_pointer_on_host", "global");
    fault.allocation = nearest_allocation(access.address);
    report(fault);
}

// Pinned memory, or that of the other device.
void check_beyond_device(const OtherAccess& access, int region) {
    if (region != kPinned && !may_access_peer(execution.device, region)) {
        Report fault = access.fault("out_of_bounds", "global");
        fault.allocation = nearest_allocation(access.address);
        fault.note = "memory of another device, without peer access";
        fail_access(fault);
    }
    if (region == kPinned) note_mapped(access.address, access.bytes, access.kind, "pinned", access.call_site);
    simt_check_global(access.address, access.bytes, access.kind, false, access.call_site);
}

// A `__device__` or `__constant__` variable.
void check_symbol(const OtherAccess& access, const Symbol& symbol) {
    if (!symbol.constant && simt_access->cells) {
        global_races.access_variable(symbol.section_begin, symbol.section_bytes, access.address, access.bytes, access.kind,
                                     access.call_site);
    }
    if (symbol.constant && access.kind & WRITE) report(access.fault("write_to_const", "constant"));
}

const char* note_on_host_memory(uintptr_t address) {
    return address < 4096 ? "null pointer" : is_mapped(address) ? "" : "no memory";
}

// Memory of the host: registered, managed and some static data are a kernel's, too.
void check_host_memory(const OtherAccess& access) {
    const uintptr_t address = access.address;
    if (is_registered_host_memory(address, access.bytes)) {
        return note_mapped(address, access.bytes, access.kind, "registered", access.call_site);
    }
    const simt_module& module = *execution.launch->module;
    if (is_managed_variable(module, address)) {
        return note_mapped(address, access.bytes, access.kind, "managed", access.call_site);
    }
    if (!in_data(module, address)) {
        const char* beside = variables_beside(module, address);
        Report fault = beside ? access.fault("out_of_bounds", "static") : access.fault("host_pointer", "host");
        fault.note = beside ? beside : note_on_host_memory(address);
        fail_access(fault);
    }
    if (static_data(module).allows(address, access.bytes, access.kind)) return;
    Report fault = access.fault("host_pointer", "static");
    fault.array = static_data(module).name_at(address);
    fail_access(fault);
}
}  // namespace

extern "C" {

void simt_check_global(uintptr_t address, uintptr_t bytes, int kind, bool misaligned, const void* pc) {
    if (misaligned) fail_misaligned(address, bytes, kind, "global", pc);
    if (!is_committed(address, bytes)) {
        fail_access({.kind = "out_of_bounds",
                     .call_site = pc,
                     .access = kind,
                     .bytes = bytes,
                     .address = address,
                     .space = "global",
                     .allocation = nearest_allocation(address)});
    }
    Verdict verdict = judge(address, bytes, kind);
    if (!verdict.kind) return;
    // A block that was skipped may have written it.
    if (has_skipped_blocks() && verdict.kind == std::string_view("uninitialized_read")) return;
    // The allocation that is meant: of an access that straddles its end, the one it begins in.
    report({.kind = verdict.kind,
            .call_site = pc,
            .access = kind,
            .bytes = bytes,
            .address = address,
            .space = "global",
            .allocation = nearest_allocation(address)});
}

void simt_check_shared(uintptr_t address, uintptr_t bytes, int kind, bool misaligned, const void* pc) {
    if (misaligned) fail_misaligned(address, bytes, kind, "shared", pc);
    const AsyncCopies& copies = running_block->copies;
    if (copies.in_flight() && copies.meets(address, bytes, kind, pc)) return;
    if (bytes == 1 && shared_memory.is_guard(address)) return;
    if (!shared_memory.is_within_array(address, bytes)) {
        if (SharedArray variable = shared_memory.array_at(address); variable.is_of_host) {
            fail_access({.kind = "host_pointer",
                         .call_site = pc,
                         .access = kind,
                         .bytes = bytes,
                         .address = address,
                         .space = "static",
                         .array = variable.name});
        }
        report_overrun(address, bytes, kind, pc);
        return;
    }
    shared_memory.access(address, bytes, kind, pc);
}

void simt_check_other(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    if (simt_access->counted) return count_and_check(address, bytes, kind, pc);
    const OtherAccess access{address, bytes, kind & ~MISALIGNED, pc};
    const int region = arena.region(address);
    if (!simt_access->on_device) return check_on_host(access, region);
    if (region >= 0) return check_beyond_device(access, region);
    if (Symbol symbol; find_symbol(reinterpret_cast<void*>(address), &symbol)) {
        if (kind & MISALIGNED) fail_misaligned(address, bytes, access.kind, symbol.constant ? "constant" : "global", pc);
        return check_symbol(access, symbol);
    }
    auto parameters = reinterpret_cast<uintptr_t>(execution.launch->closure);
    size_t parameter_bytes = execution.launch->closure_bytes ? execution.launch->closure_bytes : 4096;
    if ((address - parameters < parameter_bytes && !(kind & WRITE)) || is_builtin_variable(address)) return;
    check_host_memory(access);
}

void simt_check_range(const void* pointer, uintptr_t bytes, int kind, const void* pc) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    const AccessState& state = *simt_access;
    if (bytes == 0) return;
    if (state.counted) return count_and_check(address, bytes, kind, pc);
    check_anywhere(address, bytes, kind, pc);
}

int simt_is_blank(const void* pointer, size_t bytes) {
    const bool knows = simt_access->on_device && is_checked_launch();
    return knows && shared_memory.is_blank(reinterpret_cast<uintptr_t>(pointer), bytes);
}

void simt_spare_read(const void* pointer, size_t bytes) {
    simt_check_range(pointer, bytes, READ | SPARE, __builtin_return_address(0));
}
}
