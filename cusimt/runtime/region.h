// One region of the arena: its live, freed and free spans, and how much of it is committed.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <mutex>

#include "arena.h"

namespace simt {

enum class Owner { any, runtime_api, heap };  // whose memory a caller may release

class Region {
  public:
    void open(int index, uintptr_t begin, size_t capacity);
    void* allocate(size_t bytes, const AllocationOptions& options);
    Release release(uintptr_t base, Owner owner);
    std::optional<Allocation> holding(uintptr_t address);
    std::optional<Allocation> nearest(uintptr_t address);
    std::optional<Allocation> below(uintptr_t base);
    std::vector<Allocation> live();
    simt_memory_statistics statistics();
    void reset_peak();
    size_t capacity() const { return capacity_; }
    uintptr_t committed_end() const { return committed_end_; }

  private:
    std::optional<uintptr_t> take_span(size_t span);
    bool commit(uintptr_t end);
    void clear(const Allocation& allocation);
    void count(const Allocation& allocation);
    void recycle(const Allocation& allocation);
    void trim_quarantine(size_t most_bytes, size_t most_spans);

    std::mutex mutex_;
    int index_ = 0;
    uintptr_t begin_ = 0, next_ = 0;
    std::atomic<uintptr_t> committed_end_{0};  // read by every check of an access, without the mutex
    size_t capacity_ = 0;
    std::map<uintptr_t, Allocation> allocations_;  // live and quarantined, by base
    std::deque<uintptr_t> quarantine_;             // oldest first
    size_t quarantined_bytes_ = 0;
    std::map<uintptr_t, size_t> free_spans_;
    simt_memory_statistics statistics_{};
};

extern Region regions[kRegions];

}  // namespace simt
