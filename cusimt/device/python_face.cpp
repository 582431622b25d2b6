// The C functions that device/driver.py calls through ctypes, besides the runtime's.
#include "allocator.h"

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/irange.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

namespace cusimt::device {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;

void write_stat(std::ostream& out, const Stat& stat) {
    out << "{\"current\":" << stat.current << ",\"peak\":" << stat.peak << ",\"allocated\":" << stat.allocated
        << ",\"freed\":" << stat.freed << '}';
}

void write_stats(std::ostream& out, const char* name, const StatArray& array) {
    constexpr std::array<const char*, 3> pools{"all", "small_pool", "large_pool"};
    out << '"' << name << "\":{";
    for (const auto i : c10::irange(pools.size())) {
        out << (i == 0 ? "\"" : ",\"") << pools[i] << "\":";
        write_stat(out, array[i]);
    }
    out << "},";
}

std::string statistics_as_json(c10::DeviceIndex device) {
    const auto stats = arena().getDeviceStats(device);
    std::ostringstream out;
    out << '{';
    write_stats(out, "allocation", stats.allocation);
    write_stats(out, "segment", stats.segment);
    write_stats(out, "active", stats.active);
    write_stats(out, "inactive_split", stats.inactive_split);
    write_stats(out, "allocated_bytes", stats.allocated_bytes);
    write_stats(out, "reserved_bytes", stats.reserved_bytes);
    write_stats(out, "active_bytes", stats.active_bytes);
    write_stats(out, "inactive_split_bytes", stats.inactive_split_bytes);
    write_stats(out, "requested_bytes", stats.requested_bytes);
    out << "\"oversize_allocations\":";
    write_stat(out, stats.oversize_allocations);
    out << ",\"oversize_segments\":";
    write_stat(out, stats.oversize_segments);
    out << ",\"num_alloc_retries\":" << stats.num_alloc_retries << ",\"num_ooms\":" << stats.num_ooms
        << ",\"num_sync_all_streams\":" << stats.num_sync_all_streams << ",\"num_device_alloc\":" << stats.num_device_alloc
        << ",\"num_device_free\":" << stats.num_device_free << ",\"max_split_size\":-1}";
    return out.str();
}

std::string properties_as_json(const cudaDeviceProp& p, c10::DeviceIndex device) {
    int clock_khz = 0, memory_clock_khz = 0;  // no fields of cudaDeviceProp any more
    cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device);
    cudaDeviceGetAttribute(&memory_clock_khz, cudaDevAttrMemoryClockRate, device);
    std::ostringstream out;
    out << "{\"name\":\"" << p.name << "\",\"major\":" << p.major << ",\"minor\":" << p.minor
        << ",\"total_memory\":" << p.totalGlobalMem << ",\"multi_processor_count\":" << p.multiProcessorCount
        << ",\"max_threads_per_multi_processor\":" << p.maxThreadsPerMultiProcessor
        << ",\"max_threads_per_block\":" << p.maxThreadsPerBlock << ",\"warp_size\":" << p.warpSize
        << ",\"regs_per_multiprocessor\":" << p.regsPerMultiprocessor << ",\"shared_memory_per_block\":" << p.sharedMemPerBlock
        << ",\"shared_memory_per_block_optin\":" << p.sharedMemPerBlockOptin
        << ",\"shared_memory_per_multiprocessor\":" << p.sharedMemPerMultiprocessor << ",\"L2_cache_size\":" << p.l2CacheSize
        << ",\"memory_bus_width\":" << p.memoryBusWidth << ",\"clock_rate\":" << clock_khz
        << ",\"memory_clock_rate\":" << memory_clock_khz << ",\"pci_bus_id\":" << static_cast<int>(device) << '}';
    return out.str();
}

// Text for a caller that copies it at once; one buffer per thread.
const char* lend(std::string text) {
    thread_local std::string buffer;
    buffer = std::move(text);
    return buffer.c_str();
}

c10::DeviceIndex index_of(int device) { return static_cast<c10::DeviceIndex>(device); }

}  // namespace
}  // namespace cusimt::device

using cusimt::device::arena;
using cusimt::device::index_of;
using cusimt::device::lend;

extern "C" {

const char* simt_device_properties(int device) {
    return lend(cusimt::device::properties_as_json(*at::cuda::getDeviceProperties(index_of(device)), index_of(device)));
}

const char* simt_memory_statistics_of(int device) { return lend(cusimt::device::statistics_as_json(index_of(device))); }

void simt_reset_peak_statistics(int device) { arena().resetPeakStats(index_of(device)); }

void simt_reset_accumulated_statistics(int device) { arena().resetAccumulatedStats(index_of(device)); }

void simt_empty_cache() { arena().emptyCache({0, 0}); }

void* simt_raw_allocate(size_t bytes, void* stream) {
    return arena().raw_alloc_with_stream(bytes, static_cast<cudaStream_t>(stream));
}

void simt_raw_delete(void* pointer) { arena().raw_delete(pointer); }

// The next stream of the pool of this priority; its id.
int64_t simt_stream_from_pool(int device, int priority) {
    return c10::cuda::getStreamFromPool(priority, index_of(device)).id();
}

void simt_set_sync_debug_mode(int mode) {
    c10::cuda::warning_state().set_sync_debug_mode(static_cast<c10::cuda::SyncDebugMode>(mode));
}

int simt_get_sync_debug_mode() { return static_cast<int>(c10::cuda::warning_state().get_sync_debug_mode()); }

}  // extern "C"
