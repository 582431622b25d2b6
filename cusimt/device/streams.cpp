// c10::cuda streams, over the runtime's. Stream 0 of each device is its default stream (cudaStream_t 0).
#include "../include/simt_api.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <ostream>
#include <tuple>

namespace c10::cuda {
namespace {

constexpr size_t kStreamsPerPool = 32;  // PyTorch's pool has this many streams of each priority, used in turn

DeviceIndex checked_device(DeviceIndex device) {
    const DeviceIndex resolved = device == -1 ? current_device() : device;
    TORCH_CHECK(resolved >= 0 && resolved < device_count(), "Device index value ", static_cast<int>(resolved),
                " is out of index range [0, ", static_cast<int>(device_count()), ")");
    return resolved;
}

CUDAStream wrap(DeviceIndex device, void* stream) {
    const auto id = static_cast<StreamId>(simt_stream_id(stream));
    return CUDAStream(CUDAStream::UNCHECKED, Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
}

struct Pool {
    std::array<void*, kStreamsPerPool> streams{};
    size_t handed_out = 0;
};

void* next_in_pool(DeviceIndex device, int priority) {
    static std::mutex mutex;
    static auto* pools = new std::map<std::tuple<DeviceIndex, int>, Pool>;
    std::lock_guard<std::mutex> lock(mutex);
    Pool& pool = (*pools)[{device, priority}];
    void*& stream = pool.streams[pool.handed_out++ % kStreamsPerPool];
    if (stream == nullptr) {
        stream = simt_stream_create(device, priority);
    }
    return stream;
}

}  // namespace

cudaStream_t CUDAStream::stream() const {
    const auto id = static_cast<uint64_t>(stream_.id());
    return static_cast<cudaStream_t>(simt_stream_from_id(stream_.device_index(), id));
}

bool CUDAStream::query() const {
    DeviceGuard guard{stream_.device()};
    const cudaError_t status = C10_CUDA_ERROR_HANDLED(cudaStreamQuery(stream()));
    if (status == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return false;
    }
    C10_CUDA_CHECK(status);
    return true;
}

void CUDAStream::synchronize() const {
    DeviceGuard guard{stream_.device()};
    stream_synchronize(stream());
}

CUDAStream getStreamFromPool(const int priority, DeviceIndex device) {
    const auto index = checked_device(device);
    const int least = -max_compile_time_stream_priorities + 1;
    return wrap(index, next_in_pool(index, std::clamp(priority, least, 0)));
}

CUDAStream getStreamFromPool(const bool isHighPriority, DeviceIndex device) {
    return getStreamFromPool(isHighPriority ? -max_compile_time_stream_priorities + 1 : 0, device);
}

CUDAStream getStreamFromExternal(cudaStream_t ext_stream, DeviceIndex device_index) {
    return wrap(checked_device(device_index), ext_stream);
}

CUDAStream getDefaultCUDAStream(DeviceIndex device_index) { return wrap(checked_device(device_index), nullptr); }

CUDAStream getCurrentCUDAStream(DeviceIndex device_index) {
    const auto index = checked_device(device_index);
    return wrap(index, simt_current_stream(index));
}

void setCurrentCUDAStream(CUDAStream stream) { simt_set_current_stream(stream.device_index(), stream.stream()); }

std::ostream& operator<<(std::ostream& out, const CUDAStream& stream) { return out << stream.unwrap(); }

}  // namespace c10::cuda
