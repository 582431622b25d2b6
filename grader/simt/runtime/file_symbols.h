// The variables of a library, as the symbol table of its file lists them.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace simt {

struct FileSymbol {
    uintptr_t begin, bytes;   // relative to where the file was loaded; of a thread-local variable, to its block
    std::string symbol;       // as the linker knows it
};
enum class Variables { of_the_process, of_threads };

// In order of address; empty for a file without a symbol table (strip).
std::vector<FileSymbol> read_symbols(const char* path, Variables wanted);

// `kernel(float*)::tile` -> `tile`, of a name as the linker knows it.
std::string variable_name(const std::string& symbol);

// A guard of g++: has the constructor of a variable run?
bool is_guard_symbol(const std::string& symbol);

}  // namespace simt
