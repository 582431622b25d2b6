// The variables and functions of a library, as the symbol table of its file lists them.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace simt {

struct FileSymbol {
    uintptr_t begin, bytes;  // relative to where the file was loaded; of a thread-local variable, to its block
    std::string symbol;      // as the linker knows it
};
enum class Symbols { variables, variables_of_threads, functions };

// In order of address; empty for a file without a symbol table (strip).
std::vector<FileSymbol> read_symbols(const char* path, Symbols wanted);

// Of a variable, from a name as the linker knows it: `a::buffer`, also of the variable template's instance `a::buffer<float>`.
std::string full_name(const std::string& symbol);
// The last part: `kernel(float*)::tile` -> `tile`.
std::string variable_name(const std::string& symbol);
// SIMT_DEVICE_OWNED is part of the linker's name.
bool is_tagged_for_device(const std::string& symbol);

// A guard of g++: has the constructor of a variable run?
bool is_guard_symbol(const std::string& symbol);

}  // namespace simt
