// Reads the ELF symbol table of a library's file.
#include "file_symbols.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace simt {

namespace {
constexpr std::string_view kDeviceTag = "[abi:simt_device]";  // as a demangler writes it

// A file in memory. What lies outside of it reads as nothing: the file may be damaged.
class File {
  public:
    explicit File(const char* path) {
        int descriptor = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status{};
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

std::vector<FileSymbol> symbols_in(const File& file, const ElfW(Shdr) & table, const ElfW(Shdr) & text, int type) {
    std::vector<FileSymbol> found;
    uint64_t count = table.sh_size / sizeof(ElfW(Sym));
    const auto* symbols = file.at<ElfW(Sym)>(table.sh_offset, count);
    const char* names = file.at<char>(text.sh_offset, text.sh_size);
    if (!symbols || !names || text.sh_size == 0 || names[text.sh_size - 1] != 0) return found;
    for (uint64_t i = 0; i < count; ++i) {
        const auto& symbol = symbols[i];
        bool here = symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0 && symbol.st_name < text.sh_size;
        if (here && (symbol.st_info & 15) == type) found.push_back({symbol.st_value, symbol.st_size, names + symbol.st_name});
    }
    return found;
}

int type_of(Symbols wanted) {
    return wanted == Symbols::functions ? STT_FUNC : wanted == Symbols::variables ? STT_OBJECT : STT_TLS;
}

// Without what follows the last closed `<...>`: `buffer<ns::T>` -> `buffer`.
void drop_template_arguments(std::string& name) {
    if (name.empty() || name.back() != '>') return;
    size_t depth = 0, at = name.size();
    while (at-- > 0) {
        depth += name[at] == '>';
        depth -= name[at] == '<';
        if (depth == 0) break;
    }
    if (at < name.size()) name.resize(at);
}
}  // namespace

std::vector<FileSymbol> read_symbols(const char* path, Symbols wanted) {
    File file(path);
    const auto* header = file.at<ElfW(Ehdr)>(0);
    const auto* sections = header ? file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum) : nullptr;
    std::vector<FileSymbol> found;
    for (int i = 0; sections && i < header->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
        found = symbols_in(file, sections[i], sections[sections[i].sh_link], type_of(wanted));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    return found;
}

std::string full_name(const std::string& symbol) {
    int status = 0;
    char* whole = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = whole ? whole : symbol.substr(0, symbol.find('.'));  // `counter.0`: static in a function of C
    free(whole);
    drop_template_arguments(name);
    return name;
}

std::string variable_name(const std::string& symbol) {
    std::string name = full_name(symbol);
    if (is_tagged_for_device(symbol)) name.resize(name.size() - kDeviceTag.size());
    size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

bool is_tagged_for_device(const std::string& symbol) { return full_name(symbol).ends_with(kDeviceTag); }

bool is_guard_symbol(const std::string& symbol) { return symbol.compare(0, 4, "_ZGV") == 0; }

}  // namespace simt
