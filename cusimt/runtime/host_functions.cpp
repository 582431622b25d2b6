// Attributes and occupancy of kernels in the host API.
#include <stdint.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "device_limits.h"
#include "device_model.h"
#include "execution.h"
#include "host_call.h"
#include "kernel_facts.h"
#include "modules.h"

namespace simt {

namespace {
std::mutex functions_lock;
// Never destroyed: libraries are unloaded while the process ends, too.
auto& dynamic_limits = *new std::map<const void*, size_t>;
}  // namespace

size_t dynamic_shared_limit(const void* function) {
    std::lock_guard lock(functions_lock);
    auto it = dynamic_limits.find(function);
    if (it != dynamic_limits.end()) return it->second;
    return kSharedPerBlock - std::min(kernel_facts(function).static_shared, kSharedPerBlock);
}

void forget_dynamic_limits_of(const simt_module& module) {
    std::lock_guard lock(functions_lock);
    std::erase_if(dynamic_limits, [&](const auto& each) { return in_text(module, reinterpret_cast<uintptr_t>(each.first)); });
}

int resident_blocks(int block_threads, size_t shared_bytes) {
    if (block_threads <= 0 || block_threads > kThreadsPerBlock) return 0;
    int warps = (block_threads + 31) / 32;
    const DeviceModel& device = device_model();
    int by_threads = device.threads_per_multiprocessor / (warps * 32);
    size_t shared = std::max<size_t>(shared_bytes + device.reserved_shared_per_block, 1);
    size_t by_shared = std::min<size_t>(device.shared_per_multiprocessor / shared, 32);
    return std::min({by_threads, device.blocks_per_multiprocessor, int(by_shared)});
}

int resident_blocks_of(const void* function, int block_threads, size_t dynamic_shared) {
    KernelFacts facts = kernel_facts(function);
    return block_threads > facts.most_threads ? 0 : resident_blocks(block_threads, facts.static_shared + dynamic_shared);
}

}  // namespace simt

using namespace simt;

extern "C" {
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    if (int error = sticky_error()) return failed(error);
    if (!function) return failed(cudaErrorInvalidDeviceFunction);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        bool known = attribute >= cudaFuncAttributePreferredSharedMemoryCarveout &&
                     attribute <= cudaFuncAttributeClusterSchedulingPolicyPreference;
        return known ? cudaSuccess : failed(cudaErrorInvalidValue);
    }
    size_t static_shared = kernel_facts(function).static_shared;
    if (value < 0 || value + static_shared > device_model().shared_per_block_optin) return failed(cudaErrorInvalidValue);
    std::lock_guard lock(functions_lock);
    dynamic_limits[function] = size_t(value);
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    if (!attributes) return failed(cudaErrorInvalidValue);
    if (!function) return failed(cudaErrorInvalidDeviceFunction);
    KernelFacts facts = kernel_facts(function);
    *attributes = {};
    attributes->sharedSizeBytes = facts.static_shared;
    attributes->maxThreadsPerBlock = facts.most_threads;
    attributes->numRegs = 32;  // no compiler for a GPU has counted them
    attributes->ptxVersion = attributes->binaryVersion = device_model().major * 10 + device_model().minor;
    attributes->maxDynamicSharedSizeBytes = int(dynamic_shared_limit(function));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return function ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return function ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t dynamic_shared) {
    if (!blocks || block_size <= 0) return failed(cudaErrorInvalidValue);
    if (!function) return failed(cudaErrorInvalidDeviceFunction);
    *blocks = resident_blocks_of(function, block_size, dynamic_shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   size_t dynamic_shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int block_size) {
    if (!bytes || blocks <= 0 || block_size <= 0) return failed(cudaErrorInvalidValue);
    if (!function) return failed(cudaErrorInvalidDeviceFunction);
    if (blocks > resident_blocks_of(function, block_size, 0)) return failed(cudaErrorInvalidValue);
    const DeviceModel& device = device_model();
    size_t each = device.shared_per_multiprocessor / size_t(blocks) - device.reserved_shared_per_block;
    each -= std::min(each, kernel_facts(function).static_shared);
    *bytes = std::min(each, device.shared_per_block_optin);
    return cudaSuccess;
}
}
