// The functions of the driver API by name, for programs that are not linked with it.
#include <dlfcn.h>

#include <string>

#include "cuda.h"
#include "execution.h"

namespace {
constexpr const char* kSuffixes[] = {"_v4", "_v3", "_v2", ""};  // the newest first
constexpr unsigned kFirstOfV4 = 13000;

// Null: there is none of that name.
void* find(const char* name, unsigned version) {
    Dl_info own;
    if (!dladdr(reinterpret_cast<void*>(&cuInit), &own)) return nullptr;
    void* library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void* found = nullptr;
    for (const char* suffix : kSuffixes) {
        const bool is_later = suffix == kSuffixes[0] && version < kFirstOfV4;
        if (!found && library && !is_later) found = dlsym(library, (name + std::string(suffix)).c_str());
    }
    if (library) dlclose(library);
    return found;
}
bool is_driver_name(const char* name) { return name && name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z'; }
}  // namespace

extern "C" {
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned int version, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
    if (!name || !function) return cudaError_t(simt::set_error(cudaErrorInvalidValue));
    *function = is_driver_name(name) ? find(name, version) : nullptr;
    if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return *function || status ? cudaSuccess : cudaError_t(simt::set_error(cudaErrorSymbolNotFound));
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags, status);
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t,
                             CUdriverProcAddressQueryResult* status) {
    if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
    *function = is_driver_name(name) ? find(name, unsigned(version)) : nullptr;
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
}
