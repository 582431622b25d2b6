// Counters behind torch.cuda.memory_stats: current, peak, allocated and freed, by pool.
#include "memory_statistics.h"

namespace cusimt::device {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;

constexpr size_t kBlock = 512;        // PyTorch rounds every request up to blocks of this many bytes
constexpr size_t kSegment = 2 << 20;  // and takes memory from the driver in segments of at least this many
constexpr size_t kSmall = 1 << 20;    // requests up to this size come from the pool of small blocks

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

Stat& aggregate(StatArray& array) { return array[static_cast<size_t>(StatType::AGGREGATE)]; }

Stat& pool_of(StatArray& array, size_t bytes) {
    return array[static_cast<size_t>(bytes <= kSmall ? StatType::SMALL_POOL : StatType::LARGE_POOL)];
}

}  // namespace

void MemoryStatistics::allocated(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto add = [&](StatArray& array, size_t amount) {
        aggregate(array).increase(amount);
        pool_of(array, bytes).increase(amount);
    };
    add(stats_.allocation, 1);
    add(stats_.active, 1);
    add(stats_.allocated_bytes, round_up(bytes, kBlock));
    add(stats_.active_bytes, round_up(bytes, kBlock));
    add(stats_.requested_bytes, bytes);
    const int64_t needed = round_up(aggregate(stats_.allocated_bytes).current, kSegment);
    const int64_t reserved = aggregate(stats_.reserved_bytes).current;
    if (needed > reserved) {
        aggregate(stats_.reserved_bytes).increase(needed - reserved);
        aggregate(stats_.segment).increase((needed - reserved) / kSegment);
        stats_.num_device_alloc += 1;
    }
}

void MemoryStatistics::freed(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto subtract = [&](StatArray& array, size_t amount) {
        aggregate(array).decrease(amount);
        pool_of(array, bytes).decrease(amount);
    };
    subtract(stats_.allocation, 1);
    subtract(stats_.active, 1);
    subtract(stats_.allocated_bytes, round_up(bytes, kBlock));
    subtract(stats_.active_bytes, round_up(bytes, kBlock));
    subtract(stats_.requested_bytes, bytes);
}

void MemoryStatistics::empty_cache() {
    std::lock_guard<std::mutex> lock(mutex_);
    const int64_t needed = round_up(aggregate(stats_.allocated_bytes).current, kSegment);
    const int64_t unused = aggregate(stats_.reserved_bytes).current - needed;
    if (unused > 0) {
        aggregate(stats_.reserved_bytes).decrease(unused);
        aggregate(stats_.segment).decrease(unused / kSegment);
        stats_.num_device_free += 1;
    }
}

void MemoryStatistics::out_of_memory() {
    std::lock_guard<std::mutex> lock(mutex_);
    stats_.num_ooms += 1;
}

void MemoryStatistics::reset(void (Stat::*what)()) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (StatArray* array :
         {&stats_.allocation, &stats_.segment, &stats_.active, &stats_.inactive_split, &stats_.allocated_bytes,
          &stats_.reserved_bytes, &stats_.active_bytes, &stats_.inactive_split_bytes, &stats_.requested_bytes}) {
        for (Stat& stat : *array) {
            (stat.*what)();
        }
    }
}

c10::CachingDeviceAllocator::DeviceStats MemoryStatistics::read() {
    std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
}

}  // namespace cusimt::device
