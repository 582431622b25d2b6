#include "allocator.h"

#include "../runtime/simt_api.h"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

namespace cu2grad::device {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kBlock = 512;           // PyTorch rounds every request up to blocks of this many bytes
constexpr size_t kSegment = 2 << 20;     // and takes memory from the driver in segments of at least this many
constexpr size_t kSmall = 1 << 20;       // requests up to this size come from the pool of small blocks

size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// The figures behind torch.cuda.memory_stats. Allocated bytes are rounded as PyTorch rounds them; reserved bytes are
// modelled as a cache that packs perfectly and gives segments back only in empty_cache().
class MemoryStatistics {
 public:
  void allocated(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto pool = pool_of(bytes);
    each(stats_.allocation, pool, [](Stat& s) { s.increase(1); });
    each(stats_.active, pool, [](Stat& s) { s.increase(1); });
    const size_t rounded = round_up(bytes, kBlock);
    each(stats_.allocated_bytes, pool, [=](Stat& s) { s.increase(rounded); });
    each(stats_.active_bytes, pool, [=](Stat& s) { s.increase(rounded); });
    each(stats_.requested_bytes, pool, [=](Stat& s) { s.increase(bytes); });
    const int64_t needed = round_up(aggregate(stats_.allocated_bytes).current, kSegment);
    const int64_t reserved = aggregate(stats_.reserved_bytes).current;
    if (needed > reserved) {
      aggregate(stats_.reserved_bytes).increase(needed - reserved);
      aggregate(stats_.segment).increase((needed - reserved) / kSegment);
      stats_.num_device_alloc += 1;
    }
  }

  void freed(size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto pool = pool_of(bytes);
    each(stats_.allocation, pool, [](Stat& s) { s.decrease(1); });
    each(stats_.active, pool, [](Stat& s) { s.decrease(1); });
    const size_t rounded = round_up(bytes, kBlock);
    each(stats_.allocated_bytes, pool, [=](Stat& s) { s.decrease(rounded); });
    each(stats_.active_bytes, pool, [=](Stat& s) { s.decrease(rounded); });
    each(stats_.requested_bytes, pool, [=](Stat& s) { s.decrease(bytes); });
  }

  void empty_cache() {
    std::lock_guard<std::mutex> lock(mutex_);
    const int64_t needed = round_up(aggregate(stats_.allocated_bytes).current, kSegment);
    const int64_t unused = aggregate(stats_.reserved_bytes).current - needed;
    if (unused > 0) {
      aggregate(stats_.reserved_bytes).decrease(unused);
      aggregate(stats_.segment).decrease(unused / kSegment);
      stats_.num_device_free += 1;
    }
  }

  void out_of_memory() {
    std::lock_guard<std::mutex> lock(mutex_);
    stats_.num_ooms += 1;
  }

  void reset(void (Stat::*what)()) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (StatArray* array : {&stats_.allocation, &stats_.segment, &stats_.active, &stats_.inactive_split,
                             &stats_.allocated_bytes, &stats_.reserved_bytes, &stats_.active_bytes,
                             &stats_.inactive_split_bytes, &stats_.requested_bytes}) {
      for (Stat& stat : *array) {
        (stat.*what)();
      }
    }
  }

  DeviceStats read() {
    std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }

 private:
  static Stat& aggregate(StatArray& array) {
    return array[static_cast<size_t>(StatType::AGGREGATE)];
  }

  static size_t pool_of(size_t bytes) {
    return static_cast<size_t>(bytes <= kSmall ? StatType::SMALL_POOL : StatType::LARGE_POOL);
  }

  template <typename Change>
  static void each(StatArray& array, size_t pool, Change change) {
    change(aggregate(array));
    change(array[pool]);
  }

  std::mutex mutex_;
  DeviceStats stats_;
};

MemoryStatistics& statistics(c10::DeviceIndex device) {
  static auto* all = new std::array<MemoryStatistics, kMostDevices>;  // outlives tensors freed at exit
  return all->at(device);
}

void release(void* pointer) {
  void* base = nullptr;
  size_t bytes = 0;
  if (simt_allocation(pointer, &base, &bytes) != 0) {
    statistics(static_cast<c10::DeviceIndex>(simt_pointer_device(pointer))).freed(bytes);
  }
  simt_release(pointer);
}

std::string mebibytes(size_t bytes) {
  return std::to_string(bytes >> 20) + "." + std::to_string((bytes >> 10) % 1024 * 100 / 1024) + " MiB";
}

void* take(c10::DeviceIndex device, size_t bytes) {
  if (bytes == 0) {
    return nullptr;
  }
  void* pointer = simt_allocate(device, bytes);
  if (pointer == nullptr) {
    statistics(device).out_of_memory();
    const auto in_use = statistics(device).read().allocated_bytes[0].current;
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", mebibytes(bytes), ". GPU ",
                     static_cast<int>(device), " is simulated; ", mebibytes(in_use),
                     " of it is allocated by PyTorch. Free tensors, or use smaller ones.");
  }
  statistics(device).allocated(bytes);
  return pointer;
}

class ArenaAllocator final : public c10::cuda::CUDACachingAllocator::CUDAAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const auto device = c10::cuda::current_device();
    return allocate_in_arena(device, bytes, c10::Device(c10::kCUDA, device));
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }

  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
    simt_copy_marks(to, from, bytes);
  }

  void* raw_alloc(size_t bytes) override {
    return take(c10::cuda::current_device(), bytes);
  }

  void* raw_alloc_with_stream(size_t bytes, cudaStream_t /*stream*/) override {
    return raw_alloc(bytes);
  }

  void raw_delete(void* pointer) override {
    release(pointer);
  }

  void* getBaseAllocation(void* pointer, size_t* bytes) override {
    void* base = nullptr;
    size_t whole = 0;
    TORCH_CHECK(simt_allocation(pointer, &base, &whole) != 0, "invalid device pointer: ", pointer);
    if (bytes != nullptr) {
      *bytes = whole;
    }
    return base;
  }

  std::string name() override {
    return "native";
  }

  bool initialized() override {
    return true;
  }

  void emptyCache(c10::MempoolId_t /*pool*/) override {
    for (const auto device : c10::irange(c10::cuda::device_count())) {
      statistics(device).empty_cache();
    }
  }

  // Launches are synchronous: nothing on another stream can still be using memory when it is freed.
  void recordStream(const c10::DataPtr& /*data*/, c10::Stream /*stream*/) override {}

  DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    return statistics(device).read();
  }

  void resetAccumulatedStats(c10::DeviceIndex device) override {
    statistics(device).reset(&Stat::reset_accumulated);
  }

  void resetPeakStats(c10::DeviceIndex device) override {
    statistics(device).reset(&Stat::reset_peak);
  }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    c10::DeviceGuard guard(c10::Device(c10::kCUDA, device));
    size_t unused = 0;
    size_t total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&unused, &total));
    return {unused, total};
  }
};

// Live pinned allocations by address, and their sizes.
struct PinnedRanges {
  std::mutex mutex;
  std::map<const char*, size_t> live;
};

PinnedRanges& pinned_ranges() {
  static auto* ranges = new PinnedRanges;
  return *ranges;
}

void release_pinned(void* pointer) {
  if (pointer == nullptr) {
    return;
  }
  {
    std::lock_guard<std::mutex> lock(pinned_ranges().mutex);
    pinned_ranges().live.erase(static_cast<const char*>(pointer));
  }
  ::operator delete(pointer, std::align_val_t{64});
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* pointer = bytes == 0 ? nullptr : ::operator new(bytes, std::align_val_t{64});
    if (pointer != nullptr) {
      std::lock_guard<std::mutex> lock(pinned_ranges().mutex);
      pinned_ranges().live.emplace(static_cast<const char*>(pointer), bytes);
    }
    return {pointer, pointer, &release_pinned, c10::Device(c10::kCPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &release_pinned;
  }

  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

}  // namespace

c10::cuda::CUDACachingAllocator::CUDAAllocator& arena() {
  static auto* allocator = new ArenaAllocator;
  return *allocator;
}

c10::DataPtr allocate_in_arena(c10::DeviceIndex device, size_t bytes, c10::Device reported) {
  void* pointer = take(device, bytes);
  return {pointer, pointer, &release, reported};
}

c10::Allocator& pinned_memory() {
  static auto* allocator = new PinnedAllocator;
  return *allocator;
}

bool is_pinned(const void* address) {
  auto& ranges = pinned_ranges();
  std::lock_guard<std::mutex> lock(ranges.mutex);
  const auto* byte = static_cast<const char*>(address);
  auto after = ranges.live.upper_bound(byte);
  if (after == ranges.live.begin()) {
    return false;
  }
  const auto& [start, bytes] = *std::prev(after);
  return byte < start + bytes;
}

}  // namespace cu2grad::device

namespace c10::cuda::CUDACachingAllocator {
inline namespace simulated {
CUDAAllocator* get() {
  return &cu2grad::device::arena();
}
}  // namespace simulated
}  // namespace c10::cuda::CUDACachingAllocator
