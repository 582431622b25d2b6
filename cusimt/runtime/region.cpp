// Allocates and frees spans of one region; freed ones stay in quarantine, where a later use is found.
#include "region.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "global_cells.h"
#include "sample.h"

namespace simt {

namespace {
constexpr size_t kAlignment = 512;                     // what cudaMalloc guarantees is 256; torch's allocator gives 512
constexpr size_t kRedzone = 4096, kHeapRedzone = 128;  // kernels make many small allocations
constexpr size_t kCommitStep = size_t(2) << 20;
constexpr size_t kLazyBytes = size_t(256) << 20;       // filling more than this with poison costs memory and seconds
constexpr size_t kReturnBytes = size_t(1) << 20;       // spans from this size on give their pages back when they are recycled
constexpr size_t kQuarantineBytes = size_t(64) << 20;  // a freed span is not reused until this much was freed after it,
constexpr size_t kQuarantineSpans = 4096;              // or this many spans, unless addresses run out
constexpr size_t kPage = 65536;                        // no smaller than any page of the supported machines

size_t round_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

// Hands the whole pages of a range back to the system; they read as zero afterwards. The rest is zeroed.
void drop_pages(char* begin, size_t bytes) {
    auto first = round_up(reinterpret_cast<uintptr_t>(begin), kPage), end = reinterpret_cast<uintptr_t>(begin) + bytes;
    auto last = end / kPage * kPage;
    if (first >= last) {
        memset(begin, 0, bytes);
        return;
    }
    memset(begin, 0, first - reinterpret_cast<uintptr_t>(begin));
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    memset(reinterpret_cast<void*>(last), 0, end - last);
}
}  // namespace

void Region::open(int index, uintptr_t begin, size_t capacity) {
    index_ = index;
    begin_ = begin;
    capacity_ = capacity;
    next_ = begin + kRedzone;  // the first allocation has a redzone below it, too
    committed_end_ = begin;
}

bool Region::commit(uintptr_t end) {
    if (end <= committed_end_) return true;
    size_t bytes = std::min(round_up(end - committed_end_, kCommitStep), begin_ + capacity_ - committed_end_);
    if (committed_end_ + bytes < end) return false;
    auto* pages = reinterpret_cast<void*>(committed_end_.load());
    if (mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) return false;
    if (mprotect(arena.mark(committed_end_), bytes, PROT_READ | PROT_WRITE) != 0) {
        mprotect(pages, bytes, PROT_NONE);
        return false;
    }
    committed_end_ += bytes;
    return true;
}

std::optional<uintptr_t> Region::take_span(size_t span) {
    for (auto it = free_spans_.begin(); it != free_spans_.end(); ++it) {
        if (it->second < span) continue;
        auto [begin, bytes] = *it;
        free_spans_.erase(it);
        if (bytes > span) free_spans_[begin + span] = bytes - span;
        return begin;
    }
    if (begin_ + capacity_ - next_ < span || !commit(next_ + span)) return std::nullopt;
    uintptr_t begin = next_;
    next_ += span;
    return begin;
}

void Region::clear(const Allocation& allocation) {
    auto* memory = reinterpret_cast<char*>(allocation.base);
    auto* marks = arena.mark(allocation.base);
    if (allocation.lazy) {
        drop_pages(memory, allocation.span);
        drop_pages(reinterpret_cast<char*>(marks), allocation.span);
        return;
    }
    memset(memory, blank_byte(), allocation.bytes);
    // The host may fill managed and pinned memory without the runtime seeing it, so it never counts as unwritten.
    memset(marks, allocation.managed ? SIMT_COPY : SIMT_UNWRITTEN, allocation.bytes);
    memset(marks + allocation.bytes, SIMT_UNALLOCATED, allocation.span - allocation.bytes);
}

void* Region::allocate(size_t bytes, const AllocationOptions& options) {
    if (bytes == 0 || bytes > capacity_) return nullptr;
    std::lock_guard lock(mutex_);
    size_t span = round_up(bytes + (options.heap ? kHeapRedzone : kRedzone), kAlignment);
    auto base = take_span(span);
    if (!base) {  // better to reuse what was freed just now than to have no memory
        trim_quarantine(0, 0);
        base = take_span(span);
    }
    if (!base) return nullptr;
    Allocation allocation{
        *base,        bytes,       span, index_, false, options.managed, bytes >= kLazyBytes, options.runtime_api,
        options.home, options.heap};
    clear(allocation);
    allocations_[*base] = allocation;
    if (!options.heap) count(allocation);
    return reinterpret_cast<void*>(*base);
}

void Region::count(const Allocation& allocation) {
    statistics_.live_bytes += allocation.bytes;
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.live_bytes);
    statistics_.live_allocations += 1;
    statistics_.total_allocations += 1;
}

Release Region::release(uintptr_t base, Owner owner) {
    std::lock_guard lock(mutex_);
    auto it = allocations_.find(base);
    if (it == allocations_.end()) return Release::unknown;
    Allocation& allocation = it->second;
    if (allocation.heap != (owner == Owner::heap)) return Release::unknown;
    if (allocation.freed) return Release::already_freed;
    if (owner == Owner::runtime_api && !allocation.runtime_api) return Release::unknown;
    allocation.freed = true;
    if (!allocation.heap) {
        statistics_.live_bytes -= allocation.bytes;
        statistics_.live_allocations -= 1;
        statistics_.total_frees += 1;
    }
    if (allocation.lazy) {  // its marks were never made; do not make a mark for every byte now
        drop_pages(reinterpret_cast<char*>(allocation.base), allocation.span);
        drop_pages(reinterpret_cast<char*>(arena.mark(allocation.base)), allocation.span);
    } else {
        memset(arena.mark(base), SIMT_FREED, allocation.bytes);
    }
    quarantine_.push_back(base);
    quarantined_bytes_ += allocation.lazy ? 0 : allocation.span;
    trim_quarantine(kQuarantineBytes, kQuarantineSpans);
    return Release::done;
}

void Region::trim_quarantine(size_t most_bytes, size_t most_spans) {
    while (quarantined_bytes_ > most_bytes || quarantine_.size() > most_spans) {
        auto it = allocations_.find(quarantine_.front());
        quarantine_.pop_front();
        quarantined_bytes_ -= it->second.lazy ? 0 : it->second.span;
        recycle(it->second);
        allocations_.erase(it);
    }
}

void Region::recycle(const Allocation& allocation) {
    if (allocation.span >= kReturnBytes) global_cells.forget(allocation.base, allocation.span);
    if (allocation.span >= kReturnBytes && !allocation.lazy) {
        drop_pages(reinterpret_cast<char*>(allocation.base), allocation.span);
        drop_pages(reinterpret_cast<char*>(arena.mark(allocation.base)), allocation.span);
    } else if (!allocation.lazy) {
        memset(arena.mark(allocation.base), SIMT_UNALLOCATED, allocation.span);
    }
    auto it = free_spans_.emplace(allocation.base, allocation.span).first;
    auto after = std::next(it);
    if (after != free_spans_.end() && it->first + it->second == after->first) {
        it->second += after->second;
        free_spans_.erase(after);
    }
    if (it == free_spans_.begin()) return;
    auto before = std::prev(it);
    if (before->first + before->second == it->first) {
        before->second += it->second;
        free_spans_.erase(it);
    }
}

std::optional<Allocation> Region::nearest(uintptr_t address) {
    std::lock_guard lock(mutex_);
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) {
        if (it == allocations_.end()) return std::nullopt;
        return it->second;  // below the first allocation: an underrun of that
    }
    auto before = std::prev(it);
    uintptr_t end = before->second.base + before->second.bytes;
    // Just below the next allocation it is more likely an underrun of that one than an overrun of this one.
    if (it != allocations_.end() && address >= end && it->second.base - address < address - end) return it->second;
    return before->second;
}

std::optional<Allocation> Region::below(uintptr_t base) {
    std::lock_guard lock(mutex_);
    auto it = allocations_.lower_bound(base);
    if (it == allocations_.begin()) return std::nullopt;
    return std::prev(it)->second;
}

std::optional<Allocation> Region::holding(uintptr_t address) {
    std::lock_guard lock(mutex_);
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) return std::nullopt;
    const Allocation& found = std::prev(it)->second;
    if (found.freed || address - found.base >= found.bytes) return std::nullopt;
    return found;
}

std::vector<Allocation> Region::live() {
    std::lock_guard lock(mutex_);
    std::vector<Allocation> found;
    for (auto& [base, allocation] : allocations_) {
        if (!allocation.freed) found.push_back(allocation);
    }
    return found;
}

simt_memory_statistics Region::statistics() {
    std::lock_guard lock(mutex_);
    return statistics_;
}

void Region::reset_peak() {
    std::lock_guard lock(mutex_);
    statistics_.peak_bytes = statistics_.live_bytes;
}

}  // namespace simt
