// Device memory from PyTorch's allocator, over the simulated device.
//
// PyTorch's own header declares pools, graphs and snapshots, whose virtual functions change with every release and mean
// nothing here. This one keeps what extensions call. Its names live in an inline namespace, so that a CUDA build of
// PyTorch, which carries symbols of the original class, can never be handed an object of this one.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDAMacros.h>
#include <c10/cuda/CUDAStream.h>

#include <cstddef>
#include <string>

namespace c10::cuda::CUDACachingAllocator {

using c10::CachingDeviceAllocator::DeviceStats;

inline namespace simulated {

class C10_CUDA_API CUDAAllocator : public c10::DeviceAllocator {
  public:
    virtual void* raw_alloc(size_t nbytes) = 0;
    virtual void* raw_alloc_with_stream(size_t nbytes, cudaStream_t stream) = 0;
    virtual void raw_delete(void* ptr) = 0;
    virtual void* getBaseAllocation(void* ptr, size_t* size) = 0;
    virtual std::string name() = 0;
};

C10_CUDA_API CUDAAllocator* get();

inline void* raw_alloc(size_t nbytes) { return get()->raw_alloc(nbytes); }

inline void* raw_alloc_with_stream(size_t nbytes, cudaStream_t stream) { return get()->raw_alloc_with_stream(nbytes, stream); }

inline void raw_delete(void* ptr) { get()->raw_delete(ptr); }

inline void* getBaseAllocation(void* ptr, size_t* size) { return get()->getBaseAllocation(ptr, size); }

inline void emptyCache(MempoolId_t pool = {0, 0}) { get()->emptyCache(pool); }

inline void recordStream(const DataPtr& data, CUDAStream stream) { get()->recordStream(data, stream.unwrap()); }

inline DeviceStats getDeviceStats(c10::DeviceIndex device) { return get()->getDeviceStats(device); }

inline void resetAccumulatedStats(c10::DeviceIndex device) { get()->resetAccumulatedStats(device); }

inline void resetPeakStats(c10::DeviceIndex device) { get()->resetPeakStats(device); }

inline std::string name() { return get()->name(); }

}  // namespace simulated
}  // namespace c10::cuda::CUDACachingAllocator

namespace c10::cuda {
using c10::CaptureId_t;
using c10::MempoolId_t;
}  // namespace c10::cuda
