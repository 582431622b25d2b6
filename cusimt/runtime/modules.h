// The loaded modules: where their code, variables and shared memory are.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include "shared_arrays.h"
#include "simt_api.h"
#include "static_data.h"
#include "worker.h"

namespace simt {

// The module's shared memory in this OS thread.
ThreadBlockMemory shared_range(simt_module& module);
const std::vector<SharedArray>& shared_arrays(simt_module& module);

// A module that is no library: a file of source, whose code addresses stand for lines.
void register_source(simt_module* module);

struct Symbol {
    uintptr_t begin = 0, bytes_to_end = 0;  // the rest of its section
    bool constant = false;
    uintptr_t section_begin = 0, section_bytes = 0;
};
// The `__device__` or `__constant__` section that holds the address.
bool find_symbol(const void* address, Symbol* symbol);

// In words, the device variables whose first or last page holds the address, which is none of theirs; else null.
const char* variables_beside(const simt_module& module, uintptr_t address);

// The module's other variables.
inline StaticData& static_data(const simt_module& module) { return *static_cast<StaticData*>(module.static_data); }
bool is_managed_variable(const simt_module& module, uintptr_t address);

bool in_text(const simt_module& module, uintptr_t address);
// Not in the hooks either: a line of the program.
bool in_program(const simt_module& module, uintptr_t address);
bool in_data(const simt_module& module, uintptr_t address);
// In the text of a library with hooks.
bool is_kernel_code(uintptr_t address);

struct CodePlace {
    std::string path;
    uintptr_t offset = 0;  // of the call itself, as addr2line wants it
};
// Where a return address lies in its file.
CodePlace place_of(const void* return_address);

}  // namespace simt
