// The driver API's questions about devices, and its calls about the device of the current context.
#include "cuda.h"
#include "driver_contexts.h"
#include "execution.h"

using namespace simt;

namespace {
// A question about a device, which needs no context.
template <class Question>
CUresult ask(Question question) {
    return is_driver_initialised() ? answer_of(question) : CUDA_ERROR_NOT_INITIALIZED;
}
}  // namespace

extern "C" {
CUresult cuDriverGetVersion(int* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    return ask([=] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    if (!is_driver_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal < 0 || ordinal >= simt_device_count()) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return ask([=] { return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device); });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties;
    CUresult result = ask([&] { return cudaGetDeviceProperties(&properties, device); });
    for (int i = 0; result == CUDA_SUCCESS && i < length; ++i) {
        name[i] = i == length - 1 ? 0 : properties.name[i];
        if (!name[i]) break;
    }
    return result;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties;
    CUresult result = ask([&] { return cudaGetDeviceProperties(&properties, device); });
    for (int i = 0; result == CUDA_SUCCESS && i < 16; ++i) uuid->bytes[i] = properties.uuid.bytes[i];
    return result;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    CUresult result = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return result ? result : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties;
    CUresult result = ask([&] { return cudaGetDeviceProperties(&properties, device); });
    if (result == CUDA_SUCCESS) *bytes = properties.totalGlobalMem;
    return result;
}

CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice device, CUdevice peer) {
    return ask([=] { return cudaDeviceCanAccessPeer(can_access, device, peer); });
}

CUresult cuCtxSynchronize(void) { return driver_call(cudaDeviceSynchronize); }
CUresult cuCtxSetCacheConfig(CUfunc_cache) { return refuse_driver_call(); }

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    return driver_call([=] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
    return driver_call([=] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return driver_call([=] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
}
