// cudaLaunchKernel and cudaLaunchKernelExC: launches by function pointer. Untyped launches need a registered kernel;
// launch attributes are validated.
#include <map>
#include <mutex>
#include <string>

#include "host_call.h"

using namespace simt;

namespace {
struct Announced {
    std::string name, file;  // copied: a library may be unloaded
    int line;
    simt_untyped_launcher launcher;
};
std::map<const void*, Announced> announced;
std::mutex announced_lock;

// What concerns scheduling, caches or the overlap of launches changes no result here.
int refuse(const cudaLaunchAttribute& attribute) {
    const auto& cluster = attribute.val.clusterDim;
    switch (attribute.id) {
        case cudaLaunchAttributeClusterDimension:
            return cluster.x * cluster.y * cluster.z > 1 ? cudaErrorNotSupported : cudaSuccess;
        case cudaLaunchAttributePreferredClusterDimension:
        case cudaLaunchAttributeProgrammaticEvent:
        case cudaLaunchAttributeLaunchCompletionEvent:
        case cudaLaunchAttributeDeviceUpdatableKernelNode: return cudaErrorNotSupported;
        default: return cudaSuccess;
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

void simt_announce_kernel(const void* function, const char* kernel, const char* file, int line,
                          simt_untyped_launcher launcher) {
    std::lock_guard guard(announced_lock);
    announced[function] = {kernel, file, line, launcher};
}

cudaError_t simt_launch_untyped(const simt_untyped_launch* launch) {
    std::unique_lock guard(announced_lock);
    auto found = announced.find(launch->function);
    if (found == announced.end()) return failed(cudaErrorInvalidDeviceFunction);
    Announced kernel = found->second;
    guard.unlock();
    simt_untyped_launch named = *launch;
    named.kernel = kernel.name.c_str();
    if (!named.file) named.file = kernel.file.c_str(), named.line = kernel.line;
    return kernel.launcher(&named);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    simt_untyped_launch launch = {function, nullptr, nullptr, 0, 0, grid, block, arguments, shared_bytes, stream};
    return simt_launch_untyped(&launch);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    simt_untyped_launch launch = {.function = function, .arguments = arguments};
    if (cudaError_t refused = simt_launch_attributes(config, &launch.cooperative)) return refused;
    launch.grid = config->gridDim, launch.block = config->blockDim;
    launch.shared_bytes = config->dynamicSmemBytes, launch.stream = config->stream;
    return simt_launch_untyped(&launch);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
    simt_untyped_launch launch = {function, nullptr, nullptr, 0, 1, grid, block, arguments, shared_bytes, stream};
    return simt_launch_untyped(&launch);
}
}
