// The __shared__ variables of a module, as the symbol table of its file lists them: where an overrun leaves its own array.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace simt {

struct SharedArray {
    uintptr_t begin, bytes;   // relative to the module's shared memory
    std::string name;
};

// In order of address; empty for a file without a symbol table (strip).
std::vector<SharedArray> read_shared_arrays(const char* path);

// The array that an access meant which begins in none or ends outside the one it begins in; null when it is within one.
const SharedArray* overrun_array(const std::vector<SharedArray>& arrays, uintptr_t offset, uintptr_t bytes);

}  // namespace simt
