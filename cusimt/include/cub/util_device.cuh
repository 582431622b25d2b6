// The device as CUB asks for it.
#pragma once
#include "cub/util_debug.cuh"

CUB_NAMESPACE_BEGIN

inline int CurrentDevice() {
    int device = -1;
    return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}
inline int DeviceCount() {
    int count = -1;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : -1;
}
inline cudaError_t SyncStream(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
inline cudaError_t SmVersion(int& version, int device = CurrentDevice()) {
    int major = 0, minor = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    version = major * 100 + minor * 10;
    return error;
}
inline cudaError_t PtxVersion(int& version) { return SmVersion(version); }

CUB_NAMESPACE_END
