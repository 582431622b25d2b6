#include "shared_arrays.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace simt {

namespace {
// A file in memory. What lies outside of it reads as nothing: the file may be damaged.
class File {
public:
    explicit File(const char* path) {
        int descriptor = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size > 0) {
            void* mapped = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
            if (mapped != MAP_FAILED) begin_ = static_cast<const char*>(mapped), bytes_ = size_t(status.st_size);
        }
        if (descriptor >= 0) close(descriptor);
    }
    ~File() {
        if (begin_) munmap(const_cast<char*>(begin_), bytes_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    template <class T>
    const T* at(uint64_t offset, uint64_t count = 1) const {
        bool inside = offset <= bytes_ && count <= (bytes_ - offset) / sizeof(T);
        return inside ? reinterpret_cast<const T*>(begin_ + offset) : nullptr;
    }

private:
    const char* begin_ = nullptr;
    size_t bytes_ = 0;
};

// `kernel(float*)::tile` -> `tile`
std::string variable_name(const char* symbol) {
    int status = 0;
    char* whole = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = whole ? whole : symbol;
    free(whole);
    size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::vector<SharedArray> arrays_in(const File& file, const ElfW(Shdr)& table, const ElfW(Shdr)& text) {
    std::vector<SharedArray> arrays;
    uint64_t count = table.sh_size / sizeof(ElfW(Sym));
    const auto* symbols = file.at<ElfW(Sym)>(table.sh_offset, count);
    const char* names = file.at<char>(text.sh_offset, text.sh_size);
    if (!symbols || !names || text.sh_size == 0 || names[text.sh_size - 1] != 0) return arrays;
    for (uint64_t i = 0; i < count; ++i) {
        const auto& symbol = symbols[i];
        bool here = symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 && symbol.st_name < text.sh_size;
        if (!here || (symbol.st_info & 15) != STT_TLS) continue;
        const char* name = names + symbol.st_name;
        arrays.push_back({symbol.st_value, symbol.st_size, variable_name(name), strncmp(name, "_ZGV", 4) == 0});
    }
    return arrays;
}
}  // namespace

std::vector<SharedArray> read_shared_arrays(const char* path) {
    File file(path);
    const auto* header = file.at<ElfW(Ehdr)>(0);
    const auto* sections = header ? file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum) : nullptr;
    std::vector<SharedArray> arrays;
    for (int i = 0; sections && i < header->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
        arrays = arrays_in(file, sections[i], sections[sections[i].sh_link]);
    }
    std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
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
