// The allocator of page-locked host memory, and the table that Tensor.is_pinned() searches.
#include "pinned_memory.h"

#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

namespace cusimt::device {
namespace {

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

    c10::DeleterFnPtr raw_deleter() const override { return &release_pinned; }

    void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};

}  // namespace

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

}  // namespace cusimt::device
