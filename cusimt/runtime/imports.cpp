// Puts guards before the functions that a library with kernels imports.
#include "imports.h"

#ifdef __x86_64__

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "device_functions.h"
#include "host_code.h"

namespace simt {

namespace {
struct Range {
    uintptr_t begin = 0, bytes = 0;
    bool holds(uintptr_t address) const { return address - begin < bytes; }
};

template <typename Take>
void each_segment(const dl_phdr_info& library, Take take) {
    for (int i = 0; i < library.dlpi_phnum; ++i) {
        const auto& segment = library.dlpi_phdr[i];
        take(segment, Range{library.dlpi_addr + segment.p_vaddr, segment.p_memsz});
    }
}

// The parts of the dynamic table that say what is imported, and where its addresses are.
struct Imports {
    uintptr_t load_address;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    Range relocations[2]{};  // of data, and of calls
    Range sealed{};          // read-only since it was relocated

    explicit Imports(const dl_phdr_info& library) : load_address(library.dlpi_addr) {
        each_segment(library, [this](const auto& segment, Range range) {
            if (segment.p_type == PT_GNU_RELRO) sealed = range;
            if (segment.p_type == PT_DYNAMIC) read(reinterpret_cast<const ElfW(Dyn)*>(range.begin));
        });
    }

  private:
    // Some loaders put addresses in place of the offsets, others do not.
    uintptr_t address(uintptr_t given) const { return given < load_address ? load_address + given : given; }

    void read(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            uintptr_t value = entry->d_un.d_val;
            switch (entry->d_tag) {
                case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(address(value)); break;
                case DT_STRTAB: names = reinterpret_cast<const char*>(address(value)); break;
                case DT_RELA: relocations[0].begin = address(value); break;
                case DT_RELASZ: relocations[0].bytes = value; break;
                case DT_JMPREL: relocations[1].begin = address(value); break;
                case DT_PLTRELSZ: relocations[1].bytes = value; break;
            }
        }
    }
};

struct Slot {
    uintptr_t* address;
    const char* name;  // of the symbol
};

// Where calls find their functions, and code their addresses. Not: tables in data, such as those of virtual functions, from
// which calls go through a thunk.
std::vector<Slot> slots_of(const Imports& imports) {
    std::vector<Slot> slots;
    for (const Range& range : imports.relocations) {
        auto first = reinterpret_cast<const ElfW(Rela)*>(range.begin);
        std::for_each(first, first + range.bytes / sizeof *first, [&](const ElfW(Rela) & each) {
            auto kind = ELF64_R_TYPE(each.r_info);
            if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) return;
            const char* name = imports.names + imports.symbols[ELF64_R_SYM(each.r_info)].st_name;
            slots.push_back({reinterpret_cast<uintptr_t*>(imports.load_address + each.r_offset), name});
        });
    }
    return slots;
}

struct Code {
    const char* library;  // its name, as the loader keeps it
    uintptr_t load_address;
    std::vector<Range> others;  // executable, of all libraries but this one
};

int collect_code(dl_phdr_info* info, size_t, void* argument) {
    auto& code = *static_cast<Code*>(argument);
    if (info->dlpi_addr == code.load_address && info->dlpi_name == code.library) return 0;
    each_segment(*info, [&code](const auto& segment, Range range) {
        if (segment.p_type == PT_LOAD && segment.p_flags & PF_X) code.others.push_back(range);
    });
    return 0;
}

std::mutex callable_lock;
std::set<uintptr_t>& callable() {
    static auto* addresses = new std::set<uintptr_t>;
    return *addresses;
}

// `lea function(%rip), %r11; jmp *entry(%rip)`, for each function.
struct __attribute__((packed)) Guard {
    uint8_t lea[3] = {0x4c, 0x8d, 0x1d};
    int32_t to_function = 0;
    uint8_t jmp[2] = {0xff, 0x25};
    int32_t to_entry = 0;
    uint8_t rest[3] = {0xcc, 0xcc, 0xcc};
};

struct Targets {
    void (*entry)();
    HostFunction functions[];
};

size_t in_pages(size_t bytes) {
    auto page = size_t(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

int32_t distance(const void* from, const void* to) {
    return int32_t(static_cast<const char*>(to) - static_cast<const char*>(from));
}

// Kept for the life of the process: others may hold the address of a function that the library handed out.
const Guard* guards_of(const std::vector<Slot>& slots) {
    size_t code = in_pages(slots.size() * sizeof(Guard)), data = sizeof(Targets) + slots.size() * sizeof(HostFunction);
    void* mapped = mmap(nullptr, code + data, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* guards = static_cast<Guard*>(mapped);
    auto* targets = reinterpret_cast<Targets*>(static_cast<char*>(mapped) + code);
    targets->entry = simt_host_function;
    for (size_t i = 0; i < slots.size(); ++i) {
        targets->functions[i] = {*slots[i].address, strdup(slots[i].name)};
        Guard& guard = *new (&guards[i]) Guard;
        guard.to_function = distance(&guard.jmp, &targets->functions[i]);
        guard.to_entry = distance(&guard.rest, &targets->entry);
    }
    if (mprotect(guards, code, PROT_READ | PROT_EXEC) != 0) throw std::bad_alloc();
    return guards;
}

void protect(const Range& sealed, int protection) {
    auto page = uintptr_t(sysconf(_SC_PAGESIZE));
    uintptr_t begin = sealed.begin / page * page, end = (sealed.begin + sealed.bytes) / page * page;
    if (begin < end && mprotect(reinterpret_cast<void*>(begin), end - begin, protection) != 0) throw std::bad_alloc();
}

void redirect(const std::vector<Slot>& slots, const Guard* guards, const Range& sealed) {
    protect(sealed, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < slots.size(); ++i) *slots[i].address = reinterpret_cast<uintptr_t>(&guards[i]);
    protect(sealed, PROT_READ);
}
}  // namespace

void guard_imports(const dl_phdr_info& library) {
    Code code{library.dlpi_name, library.dlpi_addr, {}};
    dl_iterate_phdr(collect_code, &code);
    Imports imports(library);
    std::vector<Slot> guarded;
    std::lock_guard lock(callable_lock);
    for (const Slot& slot : slots_of(imports)) {
        uintptr_t address = *slot.address;
        if (std::none_of(code.others.begin(), code.others.end(), [=](const Range& each) { return each.holds(address); }))
            continue;
        if (!is_device_function(slot.name)) guarded.push_back(slot);
        else if (!needs_hook(slot.name)) callable().insert(address);
    }
    if (guarded.empty()) return;
    const Guard* guards = guards_of(guarded);
    for (size_t i = 0; i < guarded.size(); ++i) callable().insert(reinterpret_cast<uintptr_t>(&guards[i]));
    redirect(guarded, guards, imports.sealed);
}

bool is_callable_import(uintptr_t address) {
    std::lock_guard lock(callable_lock);
    return callable().contains(address);
}

}  // namespace simt

#else

namespace simt {
void guard_imports(const dl_phdr_info&) {}
bool is_callable_import(uintptr_t) { return true; }
}  // namespace simt

#endif
