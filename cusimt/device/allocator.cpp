// The allocator of device memory: takes blocks from the runtime's arena and keeps torch.cuda.memory_stats.
#include "allocator.h"

#include "host_view.h"
#include "memory_statistics.h"

#include "../include/simt_api.h"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>

#include <array>
#include <cstring>

namespace cusimt::device {
namespace {

using c10::CachingAllocator::format_size;
using c10::CachingAllocator::Stat;
using c10::CachingDeviceAllocator::DeviceStats;

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

// A block belongs to the stream that is current when it is taken.
void* take(c10::DeviceIndex device, size_t bytes, void* stream) {
    if (bytes == 0) {
        return nullptr;
    }
    void* pointer = simt_allocate_on(device, bytes, stream);
    if (pointer == nullptr) {
        statistics(device).out_of_memory();
        const auto in_use = statistics(device).read().allocated_bytes[0].current;
        TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", format_size(bytes), ". GPU ",
                         static_cast<int>(device), " is simulated; ", format_size(in_use),
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

    c10::DeleterFnPtr raw_deleter() const override { return &release; }

    void copy_data(void* to, const void* from, size_t bytes) const override {
        const DeviceMemoryAccess access;
        std::memcpy(to, from, bytes);
        simt_copy_marks(to, from, bytes);
    }

    void* raw_alloc(size_t bytes) override {
        const auto device = c10::cuda::current_device();
        return take(device, bytes, simt_current_stream(device));
    }

    void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream) override {
        return take(c10::cuda::current_device(), bytes, stream);
    }

    void raw_delete(void* pointer) override { release(pointer); }

    void* getBaseAllocation(void* pointer, size_t* bytes) override {
        void* base = nullptr;
        size_t whole = 0;
        TORCH_CHECK(simt_allocation(pointer, &base, &whole) != 0, "invalid device pointer: ", pointer);
        if (bytes != nullptr) {
            *bytes = whole;
        }
        return base;
    }

    std::string name() override { return "native"; }

    bool initialized() override { return true; }

    void emptyCache(c10::MempoolId_t /*pool*/) override {
        for (const auto device : c10::irange(c10::cuda::device_count())) {
            statistics(device).empty_cache();
        }
    }

    // Launches are executed at once, so nothing is still being used here when it is freed. On a GPU it may be: the runtime
    // looks whether the allocator was told.
    void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
        const c10::DeviceGuard guard(stream.device());
        simt_record_stream(data.get(), c10::cuda::CUDAStream(stream).stream());
    }

    DeviceStats getDeviceStats(c10::DeviceIndex device) override { return statistics(device).read(); }

    void resetAccumulatedStats(c10::DeviceIndex device) override { statistics(device).reset(&Stat::reset_accumulated); }

    void resetPeakStats(c10::DeviceIndex device) override { statistics(device).reset(&Stat::reset_peak); }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
        c10::DeviceGuard guard(c10::Device(c10::kCUDA, device));
        size_t unused = 0;
        size_t total = 0;
        C10_CUDA_CHECK(cudaMemGetInfo(&unused, &total));
        return {unused, total};
    }
};

}  // namespace

c10::cuda::CUDACachingAllocator::CUDAAllocator& arena() {
    static auto* allocator = new ArenaAllocator;
    return *allocator;
}

c10::DataPtr allocate_in_arena(c10::DeviceIndex device, size_t bytes, c10::Device reported) {
    void* pointer = take(device, bytes, simt_current_stream(device));
    return {pointer, pointer, &release, reported};
}

}  // namespace cusimt::device

namespace c10::cuda::CUDACachingAllocator {
inline namespace simulated {
CUDAAllocator* get() { return &cusimt::device::arena(); }
}  // namespace simulated
}  // namespace c10::cuda::CUDACachingAllocator
