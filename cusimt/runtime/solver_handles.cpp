// cuSOLVER: handles, and the checks that all calls share.
#include <new>

#include "solver.h"

using namespace simt;

namespace simt {

cusolverStatus_t check(std::initializer_list<Used> all) {
    bool fails = simt_library_call_fails();
    for (const Used& used : all) {
        void* base = nullptr;
        size_t bytes = 0;
        if (used.bytes == 0 || fails) continue;
        fails = !simt_allocation(used.memory, &base, &bytes);
        size_t offset = fails ? 0 : size_t(static_cast<const char*>(used.memory) - static_cast<const char*>(base));
        fails = fails || bytes - offset < used.bytes;
    }
    return fails ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

void written(std::initializer_list<Used> all) {
    for (const Used& used : all) simt_mark_written(const_cast<void*>(used.memory), used.bytes, SIMT_LIBRARY);
}

}  // namespace simt

extern "C" {
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
    if (!handle) return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = new (std::nothrow) cusolverDnContext;
    return *handle ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    delete handle;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
    if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!stream) return CUSOLVER_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}
}
