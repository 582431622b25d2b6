// The driver API's memory, streams and events: those of the runtime API under other names.
#include "arena.h"
#include "cuda.h"
#include "driver_contexts.h"
#include "execution.h"
#include "host_calls.h"

using namespace simt;

namespace {
void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
void** place_of(CUdeviceptr* pointer) { return reinterpret_cast<void**>(pointer); }

CUresult allocated(const char* call, CUdeviceptr* pointer, size_t bytes) {
    if (CUresult refused = refuse_driver_call()) return refused;
    if (!pointer || !bytes) return CUDA_ERROR_INVALID_VALUE;  // unlike cudaMalloc
    return driver_call([=] { return allocate_memory(call, place_of(pointer), bytes); });
}

CUresult copied(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return driver_call([=] { return copy_memory(call, to, from, bytes, kind); });
}

CUresult copied(const char* call, void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream) {
    return driver_call([=] { return copy_memory_async(call, to, from, bytes, kind, stream); });
}

CUresult filled(const char* call, CUdeviceptr pointer, unsigned value, unsigned element, size_t count,
                CUstream stream = nullptr, bool is_synchronous = false) {
    if (pointer % element) return CUDA_ERROR_INVALID_VALUE;
    cudaMemsetParams memset = {pointer_to(pointer), 0, value, element, count, 1};
    return driver_call([&] { return fill_memory(call, memset, stream, is_synchronous); });
}
}  // namespace

extern "C" {
CUresult cuMemGetInfo(size_t* free, size_t* total) {
    return driver_call([=] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) { return allocated("cuMemAlloc", pointer, bytes); }

CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height, unsigned int element_bytes) {
    if (CUresult refused = refuse_driver_call()) return refused;
    bool is_element = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    if (!pointer || !pitch || !width || !height || !is_element) return CUDA_ERROR_INVALID_VALUE;
    return driver_call([=] { return cudaMallocPitch(place_of(pointer), pitch, width, height); });
}

CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned int flags) {
    if (CUresult refused = refuse_driver_call()) return refused;
    if (!pointer || !bytes) return CUDA_ERROR_INVALID_VALUE;
    return driver_call([=] { return cudaMallocManaged(place_of(pointer), bytes, flags); });
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
    return driver_call([=] { return cudaMallocAsync(place_of(pointer), bytes, stream); });
}

CUresult cuMemFree(CUdeviceptr pointer) {
    const void* site = __builtin_return_address(0);
    return driver_call([=] { return free_memory("cuMemFree", pointer_to(pointer), site); });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
    return driver_call([=] { return cudaFreeAsync(pointer_to(pointer), stream); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
    if (CUresult refused = refuse_driver_call()) return refused;
    auto allocation = find_allocation(pointer);
    if (!allocation) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = allocation->base;
    if (bytes) *bytes = allocation->bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) {
    return driver_call([=] { return cudaMallocHost(pointer, bytes); });
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
    return driver_call([=] { return cudaHostAlloc(pointer, bytes, flags); });
}

CUresult cuMemFreeHost(void* pointer) {
    return driver_call([=] { return cudaFreeHost(pointer); });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device_pointer, void* host_pointer, unsigned int flags) {
    return driver_call([=] { return cudaHostGetDevicePointer(place_of(device_pointer), host_pointer, flags); });
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
    return driver_call([=] { return cudaHostRegister(pointer, bytes, flags); });
}

CUresult cuMemHostUnregister(void* pointer) {
    return driver_call([=] { return cudaHostUnregister(pointer); });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copied("cuMemcpy", pointer_to(to), pointer_to(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return copied("cuMemcpyHtoD", pointer_to(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return copied("cuMemcpyDtoH", to, pointer_to(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copied("cuMemcpyDtoD", pointer_to(to), pointer_to(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copied("cuMemcpyAsync", pointer_to(to), pointer_to(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copied("cuMemcpyHtoDAsync", pointer_to(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copied("cuMemcpyDtoHAsync", to, pointer_to(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copied("cuMemcpyDtoDAsync", pointer_to(to), pointer_to(from), bytes, cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemsetD8(CUdeviceptr pointer, unsigned char value, size_t count) {
    return filled("cuMemsetD8", pointer, value, 1, count, nullptr, true);
}
CUresult cuMemsetD16(CUdeviceptr pointer, unsigned short value, size_t count) {
    return filled("cuMemsetD16", pointer, value, 2, count, nullptr, true);
}
CUresult cuMemsetD32(CUdeviceptr pointer, unsigned int value, size_t count) {
    return filled("cuMemsetD32", pointer, value, 4, count, nullptr, true);
}
CUresult cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t count, CUstream stream) {
    return filled("cuMemsetD8Async", pointer, value, 1, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr pointer, unsigned short value, size_t count, CUstream stream) {
    return filled("cuMemsetD16Async", pointer, value, 2, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr pointer, unsigned int value, size_t count, CUstream stream) {
    return filled("cuMemsetD32Async", pointer, value, 4, count, stream);
}

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
    return driver_call([=] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
    return driver_call([=] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
    return driver_call([=] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
    return driver_call([=] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
    return driver_call([=] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
    return driver_call([=] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuEventCreate(CUevent* event, unsigned int flags) {
    return driver_call([=] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
    return driver_call([=] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    return driver_call([=] { return cudaEventRecord(event, stream); });
}
CUresult cuEventQuery(CUevent event) {
    return driver_call([=] { return cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event) {
    return driver_call([=] { return cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent stop) {
    return driver_call([=] { return cudaEventElapsedTime(milliseconds, start, stop); });
}
}
