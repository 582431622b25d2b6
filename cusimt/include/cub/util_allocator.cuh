// cub::CachingDeviceAllocator: device memory from cudaMalloc. Nothing is cached: every allocation has bounds of its own, which
// the access checks need.
#pragma once
#include "cub/util_debug.cuh"

CUB_NAMESPACE_BEGIN

struct CachingDeviceAllocator {
    static constexpr unsigned int INVALID_BIN = ~0u;
    static constexpr size_t INVALID_SIZE = ~size_t(0);
    static constexpr int INVALID_DEVICE_ORDINAL = -1;

    CachingDeviceAllocator(unsigned int, unsigned int = 1, unsigned int = INVALID_BIN, size_t = INVALID_SIZE, bool = false) {}
    CachingDeviceAllocator(bool = false, bool = false) {}

    cudaError_t DeviceAllocate(int device, void** pointer, size_t bytes, cudaStream_t = nullptr) {
        int current = 0;
        cudaError_t error = cudaGetDevice(&current);
        if (error != cudaSuccess || device == INVALID_DEVICE_ORDINAL || device == current) {
            return error == cudaSuccess ? cudaMalloc(pointer, bytes) : error;
        }
        error = cudaSetDevice(device);
        if (error == cudaSuccess) error = cudaMalloc(pointer, bytes);
        cudaError_t restored = cudaSetDevice(current);
        return error == cudaSuccess ? restored : error;
    }
    cudaError_t DeviceAllocate(void** pointer, size_t bytes, cudaStream_t stream = nullptr) {
        return DeviceAllocate(INVALID_DEVICE_ORDINAL, pointer, bytes, stream);
    }
    cudaError_t DeviceFree(int, void* pointer) { return cudaFree(pointer); }
    cudaError_t DeviceFree(void* pointer) { return cudaFree(pointer); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
    cudaError_t SetMaxCachedBytes(size_t) { return cudaSuccess; }
};

CUB_NAMESPACE_END
