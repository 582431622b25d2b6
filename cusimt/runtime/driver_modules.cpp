// The table of modules that are loaded.
#include "driver_modules.h"

#include <dlfcn.h>
#include <stdio.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "driver_contexts.h"
#include "execution.h"
#include "file_symbols.h"
#include "module_images.h"
#include "module_loading.h"
#include "modules.h"

namespace simt {

namespace {
// Guarded by the launch lock. Never destroyed: other threads outlive the program's end.
auto& modules = *new std::vector<std::unique_ptr<CUmod_st>>;

void name_functions(CUmod_st& module, const LoadingModule& loaded) {
    std::map<uintptr_t, const simt_module_kernel*> by_offset;
    for (const simt_module_kernel& kernel : loaded.kernels) {
        by_offset[reinterpret_cast<uintptr_t>(kernel.function) - module.library->load_address] = &kernel;
    }
    module.kernels = by_offset.size();
    for (const FileSymbol& each : read_symbols(loaded.file.c_str(), Symbols::functions)) {
        auto found = by_offset.find(each.begin);
        if (found == by_offset.end()) continue;
        module.functions.emplace(each.symbol, CUfunc_st{&module, each.symbol, *found->second});
    }
}

CUresult refused(const char* call, CUresult error, const std::string& why, std::string* log) {
    fprintf(stderr, "cusimt: %s: %s\n", call, why.c_str());
    if (log) *log = why;
    return error;
}

// A library of another version of the runtime has the version in the name of a symbol that it misses.
CUresult error_of_loading(const std::string& error) {
    return error.find("cusimt_runtime_") == std::string::npos ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

// `_ZL1x` and `_ZN1aL1xE`, which belong to one file, are `x` and `_ZN1a1xE` to who asks.
std::string without_internal_linkage(const std::string& symbol) {
    size_t length = 0, digits = 0;
    if (symbol.compare(0, 3, "_ZL") == 0) {
        length = std::stoul(symbol.substr(3), &digits);
        return symbol.substr(3 + digits, length);
    }
    std::string name = symbol;
    size_t mark = name.rfind('L');
    if (name.compare(0, 3, "_ZN") == 0 && mark != std::string::npos && isdigit(name[mark + 1])) name.erase(mark, 1);
    return name;
}

bool is_of_device(const simt_module& library, const char* variable) {
    return (variable >= library.constant_begin && variable < library.constant_end) ||
           (variable >= library.device_begin && variable < library.device_end) ||
           (variable >= library.managed_begin && variable < library.managed_end);
}
}  // namespace

CUresult load(CUmodule* module, const char* call, const char* image, CUcontext context, std::string* log) {
    ModuleImage read = read_image(image);
    if (read.error) return refused(call, read.error, read.why, log);
    LoadingModule loaded = load_module(read.library);  // without a lock: the loader has its own
    if (!loaded.handle) return refused(call, error_of_loading(loaded.error), loaded.error, log);
    if (!loaded.module) return refused(call, CUDA_ERROR_INVALID_IMAGE, read.library + " has no device code.", log);
    std::lock_guard lock(launch_lock);
    modules.push_back(std::make_unique<CUmod_st>(CUmod_st{loaded.handle, loaded.module, context}));
    *module = modules.back().get();
    name_functions(**module, loaded);
    return CUDA_SUCCESS;
}

CUresult load_file(CUmodule* module, const char* call, const char* file, CUcontext context) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
    std::string image((std::istreambuf_iterator<char>(in)), {});
    return load(module, call, image.c_str(), context);
}

CUresult unload(CUmodule module) {
    std::unique_ptr<CUmod_st> unloaded;
    {
        std::lock_guard lock(launch_lock);
        for (auto& each : modules) {
            if (each.get() == module) unloaded = std::move(each);
        }
        std::erase(modules, nullptr);
    }
    if (!unloaded) return CUDA_ERROR_INVALID_HANDLE;
    dlclose(unloaded->handle);
    return CUDA_SUCCESS;
}

void unload_modules_of(CUcontext context) {
    std::vector<CUmodule> found;
    {
        std::lock_guard lock(launch_lock);
        for (const auto& each : modules) {
            if (each->context == context) found.push_back(each.get());
        }
    }
    for (CUmodule each : found) unload(each);
}

bool is_module(CUmodule module) {
    for (const auto& each : modules) {
        if (each.get() == module) return true;
    }
    return false;
}

bool is_function(CUfunction function) {
    for (const auto& module : modules) {
        for (const auto& [name, each] : module->functions) {
            if (&each == function) return true;
        }
    }
    return false;
}

CUresult find_function(CUfunction* function, CUmodule module, const char* name) {
    if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(launch_lock);
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    auto found = module->functions.find(name);
    if (found == module->functions.end()) return CUDA_ERROR_NOT_FOUND;
    *function = &found->second;
    return CUDA_SUCCESS;
}

CUresult find_variable(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(launch_lock);
    if (!is_module(module)) return CUDA_ERROR_INVALID_HANDLE;
    const simt_module& library = *module->library;
    for (const FileSymbol& each : read_symbols(library.path, Symbols::variables)) {
        auto address = library.load_address + each.begin;
        if (!is_of_device(library, reinterpret_cast<const char*>(address))) continue;
        if (each.symbol != name && without_internal_linkage(each.symbol) != name) continue;
        if (pointer) *pointer = address;
        if (bytes) *bytes = each.bytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

}  // namespace simt
