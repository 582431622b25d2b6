// The __shared__ variables of a module, as the symbol table of its file lists them: where an overrun leaves its own array.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

namespace simt {

struct SharedArray {
    uintptr_t begin, bytes;  // relative to the module's shared memory
    std::string name;
    bool is_guard = false;            // of the compiler: has the constructor of another one run?
    bool is_of_host = false;          // surely a thread_local variable that is not __shared__; known of checked modules only
    mutable bool is_touched = false;  // by the launch that runs
};

// In order of address; empty for a file without a symbol table (strip).
std::vector<SharedArray> read_shared_arrays(const char* path);

// Does an access lie within the array, from its first byte to its last?
inline bool holds(const SharedArray& array, uintptr_t offset, uintptr_t bytes) {
    uintptr_t first = offset - array.begin;
    return first < array.bytes && bytes <= array.bytes - first;
}

// The array in which `offset` lies, or the nearest one; null when there is none at all.
const SharedArray* nearest_array(const std::vector<SharedArray>& arrays, uintptr_t offset);

}  // namespace simt
