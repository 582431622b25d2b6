// Finds the __shared__ variables of a module in the symbol table of its file.
#include "shared_arrays.h"

#include <algorithm>
#include <iterator>

#include "file_symbols.h"

namespace simt {

namespace {
constexpr uintptr_t kApart = 32768;  // of two __shared__ arrays in a checked module (SIMT_APART)
}

std::vector<SharedArray> read_shared_arrays(const char* path) {
    std::vector<SharedArray> arrays;
    for (const FileSymbol& each : read_symbols(path, Symbols::variables_of_threads)) {
        arrays.push_back({each.begin, each.bytes, variable_name(each.symbol), is_guard_symbol(each.symbol),
                          each.begin % kApart != 0 && !is_guard_symbol(each.symbol)});
    }
    return arrays;
}

const SharedArray* nearest_array(const std::vector<SharedArray>& arrays, uintptr_t offset) {
    auto after = std::upper_bound(arrays.begin(), arrays.end(), offset,
                                  [](uintptr_t at, const SharedArray& array) { return at < array.begin; });
    if (after == arrays.begin()) return arrays.empty() ? nullptr : &*after;
    const SharedArray& before = *std::prev(after);
    uintptr_t end = before.begin + before.bytes;
    // Just below the next array it is more likely an underrun of that one than an overrun of this one.
    if (after != arrays.end() && offset >= end && after->begin - offset < offset - end) return &*after;
    return &before;
}

}  // namespace simt
