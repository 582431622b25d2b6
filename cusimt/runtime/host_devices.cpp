// The device-management calls of the host API; there are two identical devices.
#include "arena.h"
#include "device_heap.h"
#include "device_limits.h"
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
