// The driver API's calls about modules and libraries.
#include <string.h>

#include <algorithm>
#include <string>

#include "driver_contexts.h"
#include "driver_modules.h"
#include "execution.h"

using namespace simt;

struct CUlib_st {
    CUmodule module;
};

namespace {
// The reason for a refusal goes into the buffer that the options name; its size becomes what was used.
void write_log(const std::string& log, unsigned count, const CUjit_option* options, void** values) {
    char* buffer = nullptr;
    size_t room = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) buffer = static_cast<char*>(values[i]);
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) room = reinterpret_cast<size_t>(values[i]) & 0xffffffff;
    }
    size_t used = buffer && room ? std::min(log.size(), room - 1) : 0;
    if (buffer && room) {
        memcpy(buffer, log.data(), used);
        buffer[used] = 0;
    }
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) values[i] = reinterpret_cast<void*>(used);
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) values[i] = nullptr;
    }
}

CUresult load_with_options(CUmodule* module, const char* call, const void* image, CUcontext context, unsigned count,
                           const CUjit_option* options, void** values) {
    if (count && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
    std::string log;
    CUresult result = load(module, call, static_cast<const char*>(image), context, &log);
    write_log(log, count, options, values);
    return result;
}

CUfunction function_of(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

CUresult library_of(CUlibrary* library, CUmodule module) {
    *library = new CUlib_st{module};
    return CUDA_SUCCESS;
}
}  // namespace

extern "C" {
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count, CUjit_option* options, void** values) {
    if (CUresult refused = refuse_driver_call()) return refused;
    if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
    return load_with_options(module, "cuModuleLoadData", image, current_context(), count, options, values);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* binary) { return cuModuleLoadData(module, binary); }

CUresult cuModuleLoad(CUmodule* module, const char* file) {
    if (CUresult refused = refuse_driver_call()) return refused;
    if (!module || !file) return CUDA_ERROR_INVALID_VALUE;
    return load_file(module, "cuModuleLoad", file, current_context());
}

CUresult cuModuleUnload(CUmodule module) {
    if (CUresult refused = refuse_driver_call()) return refused;
    {
        std::lock_guard lock(launch_lock);
        if (is_module(module) && !module->context) return CUDA_ERROR_NOT_PERMITTED;  // of a library
    }
    return unload(module);
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    if (CUresult refused = refuse_driver_call()) return refused;
    return find_function(function, module, name);
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule module) {
    if (CUresult refused = refuse_driver_call()) return refused;
    std::lock_guard lock(launch_lock);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    *count = unsigned(module->kernels);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
    if (CUresult refused = refuse_driver_call()) return refused;
    return find_variable(pointer, bytes, module, name);
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values, unsigned int count,
                           CUlibraryOption*, void**, unsigned int) {
    if (!is_driver_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!library || !code) return CUDA_ERROR_INVALID_VALUE;
    CUmodule module = nullptr;
    CUresult result = load_with_options(&module, "cuLibraryLoadData", code, nullptr, count, options, values);
    return result ? result : library_of(library, module);
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option*, void**, unsigned int, CUlibraryOption*,
                               void**, unsigned int) {
    if (!is_driver_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!library || !file) return CUDA_ERROR_INVALID_VALUE;
    CUmodule module = nullptr;
    CUresult result = load_file(&module, "cuLibraryLoadFromFile", file, nullptr);
    return result ? result : library_of(library, module);
}

CUresult cuLibraryUnload(CUlibrary library) {
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = unload(library->module);
    delete library;
    return result;
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    return find_function(reinterpret_cast<CUfunction*>(kernel), library->module, name);
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library) {
    return library ? cuModuleGetFunctionCount(count, library->module) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    if (CUresult refused = refuse_driver_call()) return refused;
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    *module = library->module;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUlibrary library, const char* name) {
    if (CUresult refused = refuse_driver_call()) return refused;
    return library ? find_variable(pointer, bytes, library->module, name) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    if (CUresult refused = refuse_driver_call()) return refused;
    std::lock_guard lock(launch_lock);
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    if (!is_function(function_of(kernel))) return CUDA_ERROR_INVALID_HANDLE;
    *function = function_of(kernel);
    return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) { return cuFuncGetName(name, function_of(kernel)); }

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
    return cuFuncGetAttribute(value, attribute, function_of(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
    return cuFuncSetAttribute(function_of(kernel), attribute, value);
}
}
