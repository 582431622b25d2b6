// Memory pools: each device has its default one, from which cudaMallocAsync takes. Others are refused.
#include <stdint.h>

#include "arena.h"
#include "host_call.h"

using namespace simt;

struct CUmemPoolHandle_st {
    uint64_t release_threshold = 0;
    int reuse[3] = {1, 1, 1};  // by event dependencies, opportunistic, internal dependencies
};

namespace {
CUmemPoolHandle_st default_pools[kDevices];

bool is_pool(cudaMemPool_t pool) { return pool >= default_pools && pool < default_pools + kDevices; }
int device_of(cudaMemPool_t pool) { return int(pool - default_pools); }

// The value behind an attribute, of 8 bytes or (`*is_flag`) of 4; null for what cannot be set.
void* stored(cudaMemPool_t pool, cudaMemPoolAttr attribute, bool* is_flag) {
    *is_flag = attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolReuseAllowInternalDependencies;
    if (*is_flag) return &pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
    return attribute == cudaMemPoolAttrReleaseThreshold ? &pool->release_threshold : nullptr;
}
}  // namespace

extern "C" {
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    if (!pool) return failed(cudaErrorInvalidValue);
    if (device < 0 || device >= kDevices) return failed(cudaErrorInvalidDevice);
    *pool = &default_pools[device];
    return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return is_pool(pool) && device_of(pool) == device ? cudaSuccess : failed(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t*, const cudaMemPoolProps*) { return failed(cudaErrorNotSupported); }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return failed(cudaErrorInvalidValue); }  // default pools stay
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return is_pool(pool) ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    bool is_flag = false;
    void* place = is_pool(pool) && value ? stored(pool, attribute, &is_flag) : nullptr;
    if (!place) return failed(cudaErrorInvalidValue);
    if (is_flag) *static_cast<int*>(place) = *static_cast<int*>(value);
    else *static_cast<uint64_t*>(place) = *static_cast<uint64_t*>(value);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (!is_pool(pool) || !value) return failed(cudaErrorInvalidValue);
    bool is_flag = false;
    if (void* place = stored(pool, attribute, &is_flag)) {
        if (is_flag) *static_cast<int*>(value) = *static_cast<int*>(place);
        else *static_cast<uint64_t*>(value) = *static_cast<uint64_t*>(place);
        return cudaSuccess;
    }
    simt_memory_statistics statistics;
    simt_memory(device_of(pool), &statistics);
    bool is_peak = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (!is_peak && attribute != cudaMemPoolAttrReservedMemCurrent && attribute != cudaMemPoolAttrUsedMemCurrent)
        return failed(cudaErrorInvalidValue);
    *static_cast<uint64_t*>(value) = is_peak ? statistics.peak_bytes : statistics.live_bytes;
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (!is_pool(pool) || device_of(pool) != current_device()) return failed(cudaErrorInvalidValue);
    return cudaMallocAsync(pointer, bytes, stream);
}
}
