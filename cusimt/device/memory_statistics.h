// The figures behind torch.cuda.memory_stats of one device.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstddef>
#include <mutex>

namespace cusimt::device {

// Allocated bytes are rounded up as PyTorch rounds them. Reserved bytes are modelled as those of a cache that packs
// perfectly and gives segments back only in empty_cache().
class MemoryStatistics {
  public:
    using Stat = c10::CachingAllocator::Stat;

    void allocated(size_t bytes);
    void freed(size_t bytes);
    void empty_cache();
    void out_of_memory();
    void reset(void (Stat::*what)());
    c10::CachingDeviceAllocator::DeviceStats read();

  private:
    std::mutex mutex_;
    c10::CachingDeviceAllocator::DeviceStats stats_;
};

}  // namespace cusimt::device
