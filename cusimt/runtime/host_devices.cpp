// The device-management calls of the host API; there are two identical devices.
#include <string.h>

#include "arena.h"
#include "device_heap.h"
#include "device_limits.h"
#include "device_model.h"
#include "driver_contexts.h"
#include "host_call.h"
#include "registered.h"
#include "streams.h"

using namespace simt;

namespace {

size_t stack_limit = 1024, printf_limit = 8650752, persisting_limit = 0;

size_t* limit_of(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize: return &stack_limit;
        case cudaLimitPrintfFifoSize: return &printf_limit;
        case cudaLimitPersistingL2CacheSize: return &persisting_limit;
        default: return nullptr;
    }
}

struct Attribute {
    cudaDeviceAttr attribute;
    int value;
};
const DeviceModel& device = device_model();
const Attribute attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, kThreadsPerBlock},
    {cudaDevAttrMaxBlockDimX, int(kBlockLimit[0])},
    {cudaDevAttrMaxBlockDimY, int(kBlockLimit[1])},
    {cudaDevAttrMaxBlockDimZ, int(kBlockLimit[2])},
    {cudaDevAttrMaxGridDimX, int(kGridLimit[0])},
    {cudaDevAttrMaxGridDimY, int(kGridLimit[1])},
    {cudaDevAttrMaxGridDimZ, int(kGridLimit[2])},
    {cudaDevAttrMaxSharedMemoryPerBlock, int(kSharedPerBlock)},
    {cudaDevAttrTotalConstantMemory, int(kConstantBytes)},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, kRegistersPerMultiprocessor},
    {cudaDevAttrClockRate, device.clock_khz},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrMultiProcessorCount, device.multiprocessors},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate, device.memory_clock_khz},
    {cudaDevAttrGlobalMemoryBusWidth, device.memory_bus_bits},
    {cudaDevAttrL2CacheSize, device.l2_bytes},
    {cudaDevAttrMaxThreadsPerMultiProcessor, device.threads_per_multiprocessor},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrComputeCapabilityMajor, device.major},
    {cudaDevAttrComputeCapabilityMinor, device.minor},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, int(device.shared_per_multiprocessor)},
    {cudaDevAttrMaxRegistersPerMultiprocessor, kRegistersPerMultiprocessor},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(device.shared_per_block_optin)},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxBlocksPerMultiprocessor, device.blocks_per_multiprocessor},
    {cudaDevAttrReservedSharedMemoryPerBlock, int(device.reserved_shared_per_block)},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrClusterLaunch, 0},
};
}  // namespace

extern "C" {
cudaError_t cudaGetDeviceCount(int* count) {
    if (!count) return failed(cudaErrorInvalidValue);
    *count = kDevices;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    if (!device) return failed(cudaErrorInvalidValue);
    *device = current_device();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    int error = simt_set_device(device);
    if (!error) leave_contexts();
    return failed(error);
}
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
    return is_device(device) ? cudaSuccess : failed(cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
    if (!flags) return failed(cudaErrorInvalidValue);
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!properties) return failed(cudaErrorInvalidValue);
    if (!is_device(device)) return failed(cudaErrorInvalidDevice);
    uint64_t free_bytes, total_bytes;
    memory_info(device, &free_bytes, &total_bytes);
    const DeviceModel& model = device_model();
    cudaDeviceProp p{};
    strcpy(p.name, model.name);
    p.uuid.bytes[15] = char(device);
    p.totalGlobalMem = total_bytes;
    p.sharedMemPerBlock = kSharedPerBlock;
    p.regsPerBlock = p.regsPerMultiprocessor = kRegistersPerMultiprocessor;
    p.warpSize = 32;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = kThreadsPerBlock;
    for (int i = 0; i < 3; ++i) {
        p.maxThreadsDim[i] = int(kBlockLimit[i]);
        p.maxGridSize[i] = int(kGridLimit[i]);
    }
    p.totalConstMem = kConstantBytes;
    p.major = model.major;
    p.minor = model.minor;
    p.textureAlignment = p.surfaceAlignment = 512;
    p.texturePitchAlignment = 32;
    p.multiProcessorCount = model.multiprocessors;
    p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = p.managedMemory = p.concurrentManagedAccess = 1;
    p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = p.cooperativeLaunch = p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = p.unifiedFunctionPointers = 1;
    p.pciBusID = device;
    p.asyncEngineCount = 3;
    p.memoryBusWidth = model.memory_bus_bits;
    p.l2CacheSize = model.l2_bytes;
    p.maxThreadsPerMultiProcessor = model.threads_per_multiprocessor;
    p.sharedMemPerMultiprocessor = model.shared_per_multiprocessor;
    p.sharedMemPerBlockOptin = model.shared_per_block_optin;
    p.maxBlocksPerMultiProcessor = model.blocks_per_multiprocessor;
    p.reservedSharedMemPerBlock = model.reserved_shared_per_block;
    *properties = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (!value) return failed(cudaErrorInvalidValue);
    if (!is_device(device)) return failed(cudaErrorInvalidDevice);
    for (const Attribute& known : attributes) {
        if (known.attribute != attribute) continue;
        *value = known.value;
        return cudaSuccess;
    }
    return failed(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceReset(void) {
    empty_heap(current_device());
    return failed(sticky_error());
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if (limit == cudaLimitMallocHeapSize) return failed(set_heap_limit(value));
    size_t* stored = limit_of(limit);
    if (!stored) return failed(cudaErrorUnsupportedLimit);
    *stored = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    size_t* stored = limit_of(limit);
    if (!value) return failed(cudaErrorInvalidValue);
    if (!stored && limit != cudaLimitMallocHeapSize) return failed(cudaErrorUnsupportedLimit);
    *value = stored ? *stored : heap_limit();
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    if (!config) return failed(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (!config) return failed(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
    if (!can_access) return failed(cudaErrorInvalidValue);
    if (!is_device(device) || !is_device(peer)) return failed(cudaErrorInvalidDevice);
    *can_access = device != peer;
    return cudaSuccess;
}

// Peers reach all of each other's memory, arrays too, over links of one kind.
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
    if (!value || attribute < cudaDevP2PAttrPerformanceRank || attribute > cudaDevP2PAttrCudaArrayAccessSupported) {
        return failed(cudaErrorInvalidValue);
    }
    if (!is_device(device) || !is_device(peer) || device == peer) return failed(cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrPerformanceRank ? 0 : 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    if (flags) return failed(cudaErrorInvalidValue);
    return failed(set_peer_access(current_device(), peer, true));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) { return failed(set_peer_access(current_device(), peer, false)); }

cudaError_t cudaDriverGetVersion(int* version) {
    if (!version) return failed(cudaErrorInvalidValue);
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
}
