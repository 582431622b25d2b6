// What a program may ask about the device: its properties and attributes. Of a listed attribute that no row answers the
// simulated device has nothing (virtual memory, IPC, clusters), so its value is 0.
#include <string.h>

#include <initializer_list>

#include "arena.h"
#include "cuda_runtime_api.h"
#include "device_limits.h"
#include "device_model.h"
#include "host_call.h"

using namespace simt;

namespace {
const DeviceModel& model = device_model();
const bool is_ampere = model.major >= 8;

struct Attribute {
    int number;
    int value;
};
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
    {cudaDevAttrClockRate, model.clock_khz},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrMultiProcessorCount, model.multiprocessors},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrMemoryClockRate, model.memory_clock_khz},
    {cudaDevAttrGlobalMemoryBusWidth, model.memory_bus_bits},
    {cudaDevAttrL2CacheSize, model.l2_bytes},
    {cudaDevAttrMaxThreadsPerMultiProcessor, model.threads_per_multiprocessor},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrComputeCapabilityMajor, model.major},
    {cudaDevAttrComputeCapabilityMinor, model.minor},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, int(model.shared_per_multiprocessor)},
    {cudaDevAttrMaxRegistersPerMultiprocessor, kRegistersPerMultiprocessor},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(model.shared_per_block_optin)},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxBlocksPerMultiprocessor, model.blocks_per_multiprocessor},
    {cudaDevAttrReservedSharedMemoryPerBlock, int(model.reserved_shared_per_block)},
    {cudaDevAttrMemoryPoolsSupported, 1},
    // 5/8 of the L2 cache on an H200; of GPUs before 8.0, none.
    {cudaDevAttrMaxPersistingL2CacheSize, is_ampere ? model.l2_bytes / 8 * 5 : 0},
    {cudaDevAttrMaxAccessPolicyWindowSize, is_ampere ? 1 << 27 : 0},
    {cudaDevAttrMemSyncDomainCount, 1},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, model.major == 7   ? 32
                                                  : model.minor == 0 ? 2
                                                                     : 64},
    {129, 1},  // CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS
    // The rest as an H200 answers, driver 580.159.04.
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
};

bool is_listed(int number) {
    switch (number) {
#define BOTH(name, driver_name, number) case number:
#define DRIVER_ONLY(name, number) case number:
#include "simt/device_attribute_list.inl"
#undef BOTH
#undef DRIVER_ONLY
        return true;
        default: return false;
    }
}

int value_of(int number) {
    for (const Attribute& known : attributes) {
        if (known.number == number) return known.value;
    }
    return 0;
}

void set(int* extents, std::initializer_list<cudaDeviceAttr> numbers) {
    for (cudaDeviceAttr number : numbers) *extents++ = value_of(number);
}

void fill_extents(cudaDeviceProp& p) {
    p.maxTexture1D = value_of(cudaDevAttrMaxTexture1DWidth);
    set(p.maxTexture2D, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight});
    set(p.maxTexture3D, {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth});
    set(p.maxTexture1DLayered, {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers});
    set(p.maxTexture2DLayered,
        {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers});
    p.maxTextureCubemap = value_of(cudaDevAttrMaxTextureCubemapWidth);
    set(p.maxTextureCubemapLayered, {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers});
    p.maxSurface1D = value_of(cudaDevAttrMaxSurface1DWidth);
    set(p.maxSurface2D, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight});
    set(p.maxSurface3D, {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth});
    set(p.maxSurface1DLayered, {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers});
    set(p.maxSurface2DLayered,
        {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight, cudaDevAttrMaxSurface2DLayeredLayers});
    p.maxSurfaceCubemap = value_of(cudaDevAttrMaxSurfaceCubemapWidth);
    set(p.maxSurfaceCubemapLayered, {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers});
    p.maxTexture1DMipmap = value_of(cudaDevAttrMaxTexture1DMipmappedWidth);
    set(p.maxTexture2DMipmap, {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight});
    set(p.maxTexture2DLinear,
        {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch});
    set(p.maxTexture2DGather, {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight});
    set(p.maxTexture3DAlt,
        {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt});
}
}  // namespace

extern "C" {
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!properties) return failed(cudaErrorInvalidValue);
    if (!is_device(device)) return failed(cudaErrorInvalidDevice);
    uint64_t free_bytes, total_bytes;
    memory_info(device, &free_bytes, &total_bytes);
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
    p.textureAlignment = value_of(cudaDevAttrTextureAlignment);
    p.surfaceAlignment = value_of(cudaDevAttrSurfaceAlignment);
    p.texturePitchAlignment = value_of(cudaDevAttrTexturePitchAlignment);
    fill_extents(p);
    p.multiProcessorCount = model.multiprocessors;
    p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = p.managedMemory = p.concurrentManagedAccess = 1;
    p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = p.cooperativeLaunch = p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = p.unifiedFunctionPointers = 1;
    p.pciBusID = device;
    p.asyncEngineCount = 3;
    p.memoryBusWidth = model.memory_bus_bits;
    p.l2CacheSize = model.l2_bytes;
    p.persistingL2CacheMaxSize = value_of(cudaDevAttrMaxPersistingL2CacheSize);
    p.accessPolicyMaxWindowSize = value_of(cudaDevAttrMaxAccessPolicyWindowSize);
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
    if (!is_listed(attribute)) return failed(cudaErrorInvalidValue);
    *value = value_of(attribute);
    return cudaSuccess;
}
}
