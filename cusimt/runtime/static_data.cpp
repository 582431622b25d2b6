// Classifies accesses of kernels to variables of their own library: constant, device variable or host variable.
#include "static_data.h"

#include <link.h>
#include <string.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "access_state.h"
#include "file_symbols.h"

namespace simt {

namespace {
constexpr uintptr_t kPage = 4096;

struct Range {
    uintptr_t begin, bytes;
};
struct Lookup {
    uintptr_t load_address, inside;
    std::vector<Range> writable;
};

// The segments of the file that holds `inside` that stay writable: not what the loader protects behind its relocations.
int visit(dl_phdr_info* info, size_t, void* argument) {
    auto& lookup = *static_cast<Lookup*>(argument);
    if (info->dlpi_addr != lookup.load_address) return 0;
    uintptr_t protected_end = 0;
    bool is_it = false;
    std::vector<Range> found;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_GNU_RELRO) protected_end = begin + segment.p_memsz;
        if (segment.p_type != PT_LOAD) continue;
        is_it = is_it || lookup.inside - begin < segment.p_memsz;
        if (segment.p_flags & PF_W) found.push_back({begin, segment.p_memsz});
    }
    if (!is_it) return 0;
    for (Range& range : found) {
        if (protected_end - range.begin > range.bytes) continue;  // it ends elsewhere
        range = {protected_end, range.bytes - (protected_end - range.begin)};
    }
    lookup.writable = found;
    return 1;
}

std::vector<std::string> names_in(const char* begin, const char* end) {
    std::vector<std::string> names;
    for (const char* at = begin; at < end; at += strnlen(at, size_t(end - at)) + 1) {
        if (*at) names.emplace_back(at, strnlen(at, size_t(end - at)));
    }
    return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void exchange_bytes(char* memory, std::vector<char>& copy) { std::swap_ranges(copy.begin(), copy.end(), memory); }
}  // namespace

StaticData::StaticData(const simt_module& module) : module_(module) {
    Lookup lookup{module.load_address, reinterpret_cast<uintptr_t>(&module), {}};
    dl_iterate_phdr(visit, &lookup);
    for (const Range& range : lookup.writable) {
        Segment& segment = writable_.emplace_back(Segment{range.begin, range.bytes});
        // Also what the file leaves zero: the program's constructors may have given it a value.
        for (uintptr_t at = 0; at < range.bytes; at += kPage) {
            const auto* first = reinterpret_cast<const char*>(range.begin + at);
            const char* end = first + std::min(kPage, range.bytes - at);
            if (std::any_of(first, end, [](char byte) { return byte != 0; })) segment.pages[at / kPage] = {first, end};
        }
    }
    for (auto [begin, end] :
         {std::pair{module.constant_begin, module.constant_end}, {module.device_begin, module.device_end}}) {
        if (begin != end) sections_.push_back({const_cast<char*>(begin), size_t(end - begin)});
    }
}

void StaticData::read_variables() {
    has_variables_ = true;
    std::vector<std::string> of_device = names_in(module_.names_begin, module_.names_end);
    for (const FileSymbol& each : read_symbols(module_.path, Symbols::variables)) {
        bool is_of_device = is_tagged_for_device(each.symbol) || contains(of_device, full_name(each.symbol));
        variables_.push_back({module_.load_address + each.begin, each.bytes, variable_name(each.symbol),
                              is_guard_symbol(each.symbol), is_of_device});
    }
}

StaticData::Variable* StaticData::variable_at(uintptr_t address) {
    if (!has_variables_) read_variables();
    auto after = std::upper_bound(variables_.begin(), variables_.end(), address,
                                  [](uintptr_t at, const Variable& variable) { return at < variable.begin; });
    if (after == variables_.begin()) return nullptr;
    Variable& before = *std::prev(after);
    return address - before.begin < before.bytes ? &before : nullptr;
}

std::string StaticData::name_at(uintptr_t address) {
    const Variable* variable = variable_at(address);
    return variable ? variable->name : "";
}

bool StaticData::allows(uintptr_t address, uintptr_t bytes, int kind) {
    auto segment = std::find_if(writable_.begin(), writable_.end(),
                                [&](const Segment& each) { return address - each.begin < each.bytes; });
    if (segment == writable_.end()) return !(kind & WRITE);
    if (Variable* variable = variable_at(address)) {
        if (variable->is_guard) return true;
        if (variable->is_of_device) {
            put_in_place(*variable);
            return true;
        }
    }
    if (kind & WRITE) return false;
    bool is_of_runtime = address - reinterpret_cast<uintptr_t>(&module_) < sizeof module_;
    return is_of_runtime || memcmp(first_values(address, bytes).data(), reinterpret_cast<const char*>(address), bytes) == 0;
}

std::vector<char> StaticData::first_values(uintptr_t begin, uintptr_t bytes) const {
    std::vector<char> values(bytes, 0);
    for (const Segment& segment : writable_) {
        if (begin - segment.begin >= segment.bytes) continue;
        for (uintptr_t done = 0; done < bytes;) {
            uintptr_t offset = begin + done - segment.begin, within = offset % kPage;
            uintptr_t count = std::min(kPage - within, bytes - done);
            auto page = segment.pages.find(offset / kPage);
            if (page != segment.pages.end() && within < page->second.size()) {
                count = std::min(count, page->second.size() - within);
                std::copy_n(page->second.begin() + ptrdiff_t(within), count, values.begin() + ptrdiff_t(done));
            }
            done += count;
        }
    }
    return values;
}

void StaticData::put_in_place(Variable& variable) {
    if (variable.in_place) return;
    if (variable.other.empty()) variable.other = first_values(variable.begin, variable.bytes);
    exchange_bytes(reinterpret_cast<char*>(variable.begin), variable.other);
    variable.in_place = true;
    in_place_.push_back(&variable);
}

void StaticData::end_launch() {
    for (Variable* variable : in_place_) {
        exchange_bytes(reinterpret_cast<char*>(variable->begin), variable->other);
        variable->in_place = false;
    }
    in_place_.clear();
}

void StaticData::hide_device_variables(bool hidden) {
    if (hidden == hidden_) return;
    hidden_ = hidden;
    for (Section& section : sections_) {
        if (section.other.empty()) section.other = first_values(reinterpret_cast<uintptr_t>(section.begin), section.bytes);
        exchange_bytes(section.begin, section.other);
    }
}

}  // namespace simt
