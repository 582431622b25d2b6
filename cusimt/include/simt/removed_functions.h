// The functions of CUDA's runtime for "the thread", which CUDA 13 removed and older programs call. Each does what the function for
// the device does that has replaced it; the compiler warns, since nvcc 13 does not know the name.
#pragma once

#define SIMT_REPLACED_BY(FUNCTION) __attribute__((deprecated("CUDA 13 removed it: call " #FUNCTION))) static inline cudaError_t

SIMT_REPLACED_BY(cudaDeviceSynchronize) cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
SIMT_REPLACED_BY(cudaDeviceReset) cudaThreadExit(void) { return cudaDeviceReset(); }
SIMT_REPLACED_BY(cudaDeviceSetLimit) cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}
SIMT_REPLACED_BY(cudaDeviceGetLimit) cudaThreadGetLimit(size_t* value, enum cudaLimit limit) {
    return cudaDeviceGetLimit(value, limit);
}
SIMT_REPLACED_BY(cudaDeviceSetCacheConfig) cudaThreadSetCacheConfig(enum cudaFuncCache config) {
    return cudaDeviceSetCacheConfig(config);
}
SIMT_REPLACED_BY(cudaDeviceGetCacheConfig) cudaThreadGetCacheConfig(enum cudaFuncCache* config) {
    return cudaDeviceGetCacheConfig(config);
}

#undef SIMT_REPLACED_BY
