// The table of loaded modules.
#include "modules.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mutex>
#include <utility>

#include "graphs.h"
#include "imports.h"
#include "kernel_facts.h"
#include "module_loading.h"
#include "version.h"

extern "C" const char CUSIMT_VERSION_SYMBOL = 1;

namespace simt {

namespace {
std::mutex modules_lock;
simt_module* first_module = nullptr;

struct Lookup {
    uintptr_t address;
    simt_module* module;
    uintptr_t tls_begin, tls_bytes;
    dl_phdr_info file{};
};

bool holds(const dl_phdr_info& info, uintptr_t address) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const auto& segment = info.dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && address - (info.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
    }
    return false;
}

// Kept for the life of the process: findings may outlive the library.
const char* file_name(const dl_phdr_info& info) {
    char path[4096];
    if (info.dlpi_name && *info.dlpi_name) return strdup(realpath(info.dlpi_name, path) ? path : info.dlpi_name);
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);  // the program itself has no name here
    path[length < 0 ? 0 : length] = 0;
    return strdup(path);
}

// Fills in the ranges of the module whose file holds `address`.
int visit(dl_phdr_info* info, size_t, void* argument) {
    auto& lookup = *static_cast<Lookup*>(argument);
    if (!holds(*info, lookup.address)) return 0;
    lookup.file = *info;
    simt_module& module = *lookup.module;
    module.load_address = info->dlpi_addr;
    if (!module.path) module.path = file_name(*info);
    const char* lowest = nullptr;
    const char* highest = nullptr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        const char* begin = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
        if (segment.p_type == PT_TLS) {
            lookup.tls_begin = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
            lookup.tls_bytes = segment.p_memsz;
        }
        if (segment.p_type != PT_LOAD) continue;
        if (!lowest || begin < lowest) lowest = begin;
        if (!highest || begin + segment.p_memsz > highest) highest = begin + segment.p_memsz;
        if (!(segment.p_flags & PF_X)) continue;
        module.text_begin = begin;
        module.text_end = begin + segment.p_memsz;
    }
    module.data_begin = lowest;
    module.data_end = highest;
    return 1;
}
}  // namespace

ThreadBlockMemory shared_range(simt_module& module) {
    // The block's place relative to the dynamic array is the same in every OS thread: look it up once.
    auto dynamic = reinterpret_cast<uintptr_t>(module.dynamic_shared());  // allocates this thread's copy
    if (!module.tls_bytes) {
        Lookup lookup{reinterpret_cast<uintptr_t>(module.dynamic_shared), &module, 0, 0};
        dl_iterate_phdr(visit, &lookup);
        module.tls_bytes = lookup.tls_bytes;
        module.tls_to_dynamic = dynamic - lookup.tls_begin;
    }
    return {dynamic - module.tls_to_dynamic, module.tls_bytes, dynamic};
}

const std::vector<SharedArray>& shared_arrays(simt_module& module) {
    if (!module.shared_arrays) module.shared_arrays = new std::vector(read_shared_arrays(module.path));
    return *static_cast<const std::vector<SharedArray>*>(module.shared_arrays);
}

void register_source(simt_module* module) {
    std::lock_guard lock(modules_lock);
    module->next = first_module;
    first_module = module;
    module->static_data = new StaticData(*module);
}

bool find_symbol(const void* address, Symbol* symbol) {
    std::lock_guard lock(modules_lock);
    auto byte = static_cast<const char*>(address);
    for (simt_module* module = first_module; module; module = module->next) {
        bool constant = byte >= module->constant_begin && byte < module->constant_end;
        bool device = byte >= module->device_begin && byte < module->device_end;
        if (!constant && !device) continue;
        const char* begin = constant ? module->constant_begin : module->device_begin;
        const char* end = constant ? module->constant_end : module->device_end;
        *symbol = {reinterpret_cast<uintptr_t>(address), uintptr_t(end - byte), constant, reinterpret_cast<uintptr_t>(begin),
                   uintptr_t(end - begin)};
        return true;
    }
    return false;
}

const char* variables_beside(const simt_module& module, uintptr_t address) {
    constexpr uintptr_t kPage = 4096;  // which they share with other variables of the library, and with no heap
    auto beside = [&](const char* first, const char* end) {
        auto begin = reinterpret_cast<uintptr_t>(first), last = reinterpret_cast<uintptr_t>(end) - 1;
        return first != end && (address / kPage == begin / kPage || address / kPage == last / kPage);
    };
    if (beside(module.constant_begin, module.constant_end)) return "beside the file's __constant__ variables";
    return beside(module.device_begin, module.device_end) ? "beside the file's __device__ variables" : nullptr;
}

bool is_managed_variable(const simt_module& module, uintptr_t address) {
    auto byte = reinterpret_cast<const char*>(address);
    return byte >= module.managed_begin && byte < module.managed_end;
}

void hide_device_variables(bool hidden) {
    std::lock_guard lock(modules_lock);
    for (simt_module* module = first_module; module; module = module->next) {
        static_data(*module).hide_device_variables(hidden);
    }
}

bool in_text(const simt_module& module, uintptr_t address) {
    return address - reinterpret_cast<uintptr_t>(module.text_begin) < uintptr_t(module.text_end - module.text_begin);
}

bool in_program(const simt_module& module, uintptr_t address) {
    auto byte = reinterpret_cast<const char*>(address);
    return in_text(module, address) && !(byte >= module.hooks_begin && byte < module.hooks_end);
}

bool in_data(const simt_module& module, uintptr_t address) {
    return address - reinterpret_cast<uintptr_t>(module.data_begin) < uintptr_t(module.data_end - module.data_begin);
}

bool is_kernel_code(uintptr_t address) {
    std::lock_guard lock(modules_lock);
    for (simt_module* module = first_module; module; module = module->next) {
        if (module->checked && in_text(*module, address)) return true;
    }
    return false;
}

CodePlace place_of(const void* return_address) {
    if (!return_address) return {};
    uintptr_t call = reinterpret_cast<uintptr_t>(return_address) - 1;  // the call, not the statement after it
    {
        std::lock_guard lock(modules_lock);
        for (simt_module* module = first_module; module; module = module->next) {
            if (in_text(*module, call)) return {module->path, call - module->load_address};
        }
    }
    Dl_info info;
    link_map* map = nullptr;
    if (!dladdr1(return_address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return {};
    return {info.dli_fname, call - map->l_addr};
}

}  // namespace simt

using namespace simt;

extern "C" {
void simt_register_module(simt_module* module) {
    std::lock_guard lock(modules_lock);
    module->next = first_module;
    first_module = module;
    note_loaded(*module);
    Lookup lookup{reinterpret_cast<uintptr_t>(module->dynamic_shared), module, 0, 0};
    dl_iterate_phdr(visit, &lookup);
    module->static_data = new StaticData(*module);
    if (module->checked) guard_imports(lookup.file);
}

void simt_unregister_module(simt_module* module) {
    std::lock_guard lock(modules_lock);
    for (simt_module** link = &first_module; *link; link = &(*link)->next) {
        if (*link != module) continue;
        *link = module->next;
        delete static_cast<const std::vector<SharedArray>*>(std::exchange(module->shared_arrays, nullptr));
        delete static_cast<StaticData*>(std::exchange(module->static_data, nullptr));
        forget_kernel_facts();
        forget_dynamic_limits_of(*module);
        forget_kernels_of(*module);
        return;
    }
}
}
