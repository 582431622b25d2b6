#include "global_races.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>

#include "arena.h"
#include "cooperative.h"
#include "execution.h"
#include "findings.h"
#include "shared_memory.h"

namespace simt {

GlobalRaces global_races;

namespace {
size_t cell_bytes() { return arena.device_bytes() / 4 * sizeof(GlobalCell); }
}  // namespace

GlobalCell* GlobalRaces::begin_launch(uint32_t epoch, int device) {
    launch_epoch_ = epoch;
    blocks_.clear();
    if (!cells_ && !unavailable_) map_cells();
    return cells_ ? cells_ + (arena.region_begin(device) - arena.begin) / 4 : nullptr;
}

void GlobalRaces::map_cells() {
    // Shared with nobody, but mapped as shared: untouched pages of such a mapping count against no limit. The child of a fork
    // would write into the same cells, so it gets new ones.
    void* mapped = mmap(nullptr, cell_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    unavailable_ = mapped == MAP_FAILED;
    if (unavailable_) return;
    static const int forks = pthread_atfork(nullptr, nullptr, [] { global_races.unmap_cells(); });
    (void)forks;
    madvise(mapped, cell_bytes(), MADV_DONTDUMP);
    cells_ = static_cast<GlobalCell*>(mapped);
}

void GlobalRaces::unmap_cells() {
    if (cells_) munmap(cells_, cell_bytes());
    cells_ = nullptr;
}

void GlobalRaces::forget(uintptr_t begin, uintptr_t bytes) {
    constexpr uintptr_t kPage = 65536;   // no smaller than any page of the supported machines
    uintptr_t first = (begin - arena.begin) / 4 * sizeof(GlobalCell), end = first + bytes / 4 * sizeof(GlobalCell);
    first = (first + kPage - 1) / kPage * kPage;
    end = std::min<uintptr_t>(end, cell_bytes()) / kPage * kPage;
    if (cells_ && first < end) madvise(reinterpret_cast<char*>(cells_) + first, end - first, MADV_REMOVE);
}

void GlobalRaces::begin_block(uint32_t epoch, uint64_t linear) {
    blocks_.push_back({epoch, 0, linear});
    execution.access.block_epoch = epoch;
}

void GlobalRaces::note_atomic(uint32_t epoch) {
    if (!blocks_.empty()) blocks_.back().last_atomic = epoch;
}

const GlobalRaces::BlockRecord& GlobalRaces::block_of(Record record) const {
    auto after = std::upper_bound(blocks_.begin(), blocks_.end(), epoch_of(record),
                                  [](uint32_t epoch, const BlockRecord& block) { return epoch < block.first_epoch; });
    return *std::prev(after);
}

bool GlobalRaces::races(Record earlier, int kind) const {
    if (epoch_of(earlier) < launch_epoch_ || (earlier & kAtomicRecord && kind & ATOMIC)) return false;
    const BlockRecord& own = blocks_.back();
    if (epoch_of(earlier) >= own.first_epoch) {
        if (epoch_of(earlier) != shared_memory.epoch()) return false;   // a barrier lies between
        unsigned other = earlier >> kThreadShift & 1023, thread = execution.block->current().thread;
        if (other / kWarpSize != thread / kWarpSize) return true;
        // Within a warp any collective so far may have ordered the two.
        return other != thread && !execution.block->warp_of(thread).clocks.moved();
    }
    const BlockRecord& other = block_of(earlier);
    bool by_atomics = own.last_atomic && other.last_atomic >= epoch_of(earlier);
    return !by_atomics;
}

// Of several readers at least one was another block, or another warp.
bool GlobalRaces::read_races(Record earlier, int kind) const {
    if (races(earlier, kind)) return true;
    if (epoch_of(earlier) == shared_memory.epoch() && earlier & kOtherWarps) return true;
    return epoch_of(earlier) >= launch_epoch_ && earlier & kOtherBlocks && !blocks_.back().last_atomic;
}

void GlobalRaces::access(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    Record now = execution.access.identity | (reinterpret_cast<uintptr_t>(pc) & kCallSiteMask);
    if (kind & ATOMIC) now |= kAtomicRecord;
    uintptr_t first = address - arena.begin;   // parts of words, such as a half, are not tracked
    for (uintptr_t word = (first + 3) / 4; word * 4 + 4 <= first + bytes; ++word) {
        GlobalCell& cell = cells_[word];
        if (races(cell.write, kind)) {
            report_race(cell.write, address, bytes, kind, pc, false);
        } else if (kind & WRITE && read_races(cell.read, kind)) {
            report_race(cell.read, address, bytes, kind, pc, true);
        }
        if (kind & WRITE) cell.write = now;
        else cell.read = with_read(cell.read, now, execution.access);
    }
}

const void* call_site_of(Record record, const void* near) {
    // Of the return address only the low bits are kept: the same half megabyte of code as the other access, or the one before.
    uintptr_t here = reinterpret_cast<uintptr_t>(near), site = (here & ~uintptr_t(kCallSiteMask)) | (record & kCallSiteMask);
    const simt_module& module = *execution.launch->module;
    if (site >= reinterpret_cast<uintptr_t>(module.text_end)) site -= kCallSiteMask + 1;
    if (site < reinterpret_cast<uintptr_t>(module.text_begin)) site += kCallSiteMask + 1;
    return reinterpret_cast<const void*>(site);
}

void GlobalRaces::report_race(Record earlier, uintptr_t address, uintptr_t bytes, int kind, const void* pc,
                              bool earlier_reads) const {
    int earlier_kind = (earlier_reads ? READ : WRITE) | (earlier & kAtomicRecord ? ATOMIC : 0);
    Party other{call_site_of(earlier, pc), earlier_kind, block_index(*execution.launch, block_of(earlier).linear),
                execution.thread_index[earlier >> kThreadShift & 1023]};
    const char* note = earlier_reads ? "write after read" : kind & WRITE ? "write after write" : "read after write";
    report({.kind = "race_global", .call_site = pc, .access = kind, .bytes = bytes, .address = address, .space = "global",
            .allocation = nearest_allocation(address), .other = other, .note = note});
}

}  // namespace simt

extern "C" void simt_check_race(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    simt::global_races.access(address, bytes, kind, pc);
}
