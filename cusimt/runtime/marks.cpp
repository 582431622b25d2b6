// Marks, one per byte of simulated memory: which kind of writer wrote it last.
#include <string.h>

#include <algorithm>

#include "arena.h"
#include "sample.h"
#include "shield.h"

using namespace simt;

namespace {
// The part of a range that lies in committed memory. A caller's range may be wrong; marks outside are never touched.
size_t markable(uintptr_t address, size_t bytes) { return is_committed(address, bytes) ? bytes : 0; }

bool eight_by_kernel(uintptr_t address) {
    uint64_t marks;
    memcpy(&marks, arena.mark(address), sizeof marks);
    return marks == 0x0101010101010101 * SIMT_KERNEL;
}

bool differs_from_poison(uintptr_t address, bool lazy) {
    return *reinterpret_cast<const uint8_t*>(address) != (lazy ? 0 : blank_byte());
}
}  // namespace

extern "C" {
void simt_mark_written(void* pointer, size_t bytes, int writer) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    if (size_t n = markable(address, bytes)) memset(arena.mark(address), writer, n);
}

void simt_copy_marks(void* to, const void* from, size_t bytes) {
    auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
    if (!markable(target, bytes) || !markable(source, bytes)) return;
    auto allocation = find_allocation(source);
    memmove(arena.mark(target), arena.mark(source), bytes);
    if (!allocation || !allocation->lazy) return;
    std::replace(arena.mark(target), arena.mark(target) + bytes, uint8_t(SIMT_UNALLOCATED), uint8_t(SIMT_UNWRITTEN));
}

void simt_writers(const void* pointer, size_t bytes, uint64_t counts[SIMT_WRITERS]) {
    OpenShield open;
    std::fill(counts, counts + SIMT_WRITERS, 0);
    auto address = reinterpret_cast<uintptr_t>(pointer);
    if (!markable(address, bytes)) return;
    auto allocation = find_allocation(address);
    bool lazy = allocation && allocation->lazy;
    for (uintptr_t byte = address; byte < address + bytes; ++byte) {
        if (byte + 8 <= address + bytes && eight_by_kernel(byte)) {  // the usual output, eight times as fast
            counts[SIMT_BY_KERNEL] += 8;
            byte += 7;
            continue;
        }
        switch (uint8_t mark = *arena.mark(byte)) {
            case SIMT_COPY: ++counts[SIMT_BY_COPY]; break;
            case SIMT_LIBRARY: ++counts[SIMT_BY_LIBRARY]; break;
            case SIMT_MEMSET: ++counts[SIMT_BY_MEMSET]; break;
            default:
                if (mark >= SIMT_KERNEL) ++counts[SIMT_BY_KERNEL];
                else ++counts[differs_from_poison(byte, lazy) ? SIMT_BY_HOST : SIMT_BY_NONE];
        }
    }
}
}
