// Launches by function: those without types are refused, those with attributes are looked at.
#include "host_call.h"

using namespace simt;

namespace {
// What concerns scheduling, caches or the overlap of launches changes no result here.
int refuse(const cudaLaunchAttribute& attribute) {
    const auto& cluster = attribute.val.clusterDim;
    switch (attribute.id) {
        case cudaLaunchAttributeClusterDimension:
            return cluster.x * cluster.y * cluster.z > 1 ? cudaErrorNotSupported : cudaSuccess;
        case cudaLaunchAttributePreferredClusterDimension:
        case cudaLaunchAttributeProgrammaticEvent:
        case cudaLaunchAttributeLaunchCompletionEvent:
        case cudaLaunchAttributeDeviceUpdatableKernelNode:
            return cudaErrorNotSupported;
        default:
            return cudaSuccess;
    }
}
}  // namespace

extern "C" {
cudaError_t simt_launch_attributes(const cudaLaunchConfig_t* config, int* cooperative) {
    if (!config || (config->numAttrs && !config->attrs)) return failed(cudaErrorInvalidValue);
    *cooperative = 0;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (int error = refuse(attribute)) return failed(error);
        if (attribute.id == cudaLaunchAttributeCooperative) *cooperative = attribute.val.cooperative != 0;
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
    return failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) { return failed(cudaErrorInvalidDeviceFunction); }

cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
    return failed(cudaErrorInvalidDeviceFunction);
}
}
