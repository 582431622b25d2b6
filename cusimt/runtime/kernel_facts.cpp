// Both facts are in the symbol table of the kernel's file: variables of the function `_Z<name>` are called `_ZZ<name>E...`. A
// `__shared__` array is one of them, and so is the constant that the translator makes of __launch_bounds__.
#include "kernel_facts.h"

#include <map>
#include <mutex>
#include <string>

#include "file_symbols.h"
#include "modules.h"

namespace simt {

namespace {
std::mutex facts_lock;
// Never destroyed: libraries are unloaded while the process ends, too.
auto& known = *new std::map<const void*, KernelFacts>;

bool starts_with(const std::string& text, const std::string& beginning) {
    return text.compare(0, beginning.size(), beginning) == 0;
}

// `_Z<name>` -> `_ZZ<name>E`; a function with C's names: `name` -> `_ZZ4nameE`.
std::string beginning_of_variables(const std::string& function) {
    if (starts_with(function, "_Z")) return "_ZZ" + function.substr(2) + "E";
    return "_ZZ" + std::to_string(function.size()) + function + "E";
}

std::string symbol_at(const std::string& path, uintptr_t offset) {
    for (const FileSymbol& each : read_symbols(path.c_str(), Symbols::functions)) {
        if (each.begin == offset) return each.symbol;
    }
    return "";
}

KernelFacts read_facts(const void* function) {
    CodePlace place = place_of(static_cast<const char*>(function) + 1);  // as of a return address
    std::string symbol = symbol_at(place.path, place.offset);
    if (symbol.empty()) return {};
    KernelFacts facts;
    std::string beginning = beginning_of_variables(symbol);
    for (const FileSymbol& each : read_symbols(place.path.c_str(), Symbols::variables_of_threads)) {
        if (starts_with(each.symbol, beginning)) facts.static_shared += each.bytes;
    }
    for (const FileSymbol& each : read_symbols(place.path.c_str(), Symbols::variables)) {
        if (each.symbol != beginning + "17simt_most_threads") continue;
        facts.most_threads = *reinterpret_cast<const int*>(static_cast<const char*>(function) - place.offset + each.begin);
    }
    return facts;
}
}  // namespace

KernelFacts kernel_facts(const void* function) {
    if (!function) return {};
    std::lock_guard guard(facts_lock);
    auto found = known.find(function);
    if (found == known.end()) found = known.emplace(function, read_facts(function)).first;
    return found->second;
}

void forget_kernel_facts() {
    std::lock_guard guard(facts_lock);
    known.clear();
}

}  // namespace simt
