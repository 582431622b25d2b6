// Makes the accesses of programs that an interpreter runs, and repeats them as a launch.
#include "programs.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "access_state.h"
#include "arena.h"
#include "device_limits.h"
#include "execution.h"
#include "modules.h"
#include "shield.h"

namespace simt {

namespace {
constexpr size_t kWidest = 8;            // bytes of an element
constexpr size_t kMostLines = 1u << 18;  // of a file: half of what a record of a race can tell apart
constexpr unsigned kMostWarps = 32;
alignas(32768) char no_shared_memory[kSharedPerBlockOptin];  // what a launch wants to know the place of

bool is_there(uintptr_t address, size_t bytes) {
    return arena.region(address) >= 0 && arena.region(address + bytes - 1) >= 0 && is_committed(address, bytes);
}

// The module of a source file, whose code are addresses that nothing else has.
simt_module* module_of(const char* source) {
    static std::map<std::string, simt_module*> known;
    auto [entry, is_new] = known.emplace(source, nullptr);
    if (!is_new) return entry->second;
    auto* text = static_cast<char*>(mmap(nullptr, kMostLines, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    auto* module = new simt_module{.name = "programs", .checked = 1, .dynamic_shared = [] { return no_shared_memory; }};
    module->path = entry->first.c_str();
    module->load_address = reinterpret_cast<uintptr_t>(text);
    module->text_begin = text;
    module->text_end = text + kMostLines;
    module->tls_bytes = sizeof no_shared_memory;
    module->shared_arrays = new std::vector<SharedArray>;
    register_source(module);
    return entry->second = module;
}

// As of a return address: place_of answers the line.
const void* call_in(const simt_module& module, int line) {
    return module.text_begin + std::clamp<size_t>(size_t(line), 0, kMostLines - 2) + 1;
}
}  // namespace

Programs::Programs(const simt_program_grid& grid) : kernel_(grid.kernel), file_(grid.file), module_(module_of(grid.source)) {
    std::copy_n(grid.grid, 3, launch_.grid);
    unsigned warps = std::clamp(unsigned(grid.warps), 1u, kMostWarps);
    launch_.block[0] = warps * kWarpSize;
    launch_.block[1] = launch_.block[2] = 1;
    launch_.stream = grid.stream;
    launch_.kernel = kernel_.c_str();
    launch_.file = file_.c_str();
    launch_.line = grid.line;
    launch_.entry = run_thread;
    launch_.module = module_;
    launch_.is_instrumented = 1;
    launch_.of_programs = 1;
    launch_.is_trial = grid.is_trial;
    parameters_ = {reinterpret_cast<uint64_t>(this)};
    parameters_.insert(parameters_.end(), grid.pointers, grid.pointers + grid.pointer_count);
    launch_.closure = parameters_.data();
    launch_.closure_bytes = parameters_.size() * sizeof parameters_[0];
    programs_ = uint64_t(grid.grid[0]) * grid.grid[1] * grid.grid[2];
    ranges_.resize(programs_);
}

uint64_t Programs::next() {
    if (position_ > 0) ranges_[running_].end = accesses_.size();
    if (position_ == programs_) return programs_;
    running_ = schedule.at(position_++, programs_, 0);
    ranges_[running_] = {accesses_.size(), accesses_.size()};
    return running_;
}

// ---- as the interpreter makes them ------------------------------------------------------------------------------------------

TileAccess& Programs::append(const simt_tile& tile, int kind) {
    TileAccess& access = accesses_.emplace_back(TileAccess{tile.line, kind, tile.bytes, addresses_.size(), 0});
    for (size_t i = 0; i < tile.count; ++i) {
        if (!tile.mask || tile.mask[i]) addresses_.push_back(tile.addresses[i]);
    }
    access.count = addresses_.size() - access.begin;
    values_.resize(addresses_.size() * kWidest);
    return access;
}

void Programs::keep(uintptr_t address, uint32_t bytes) {
    Before& before = before_.emplace_back(Before{address, bytes, {}});
    memcpy(before.value, reinterpret_cast<const void*>(address), bytes);
}

void Programs::load(const simt_tile& tile, void* values) {
    append(tile, READ);
    OpenShield open;
    for (size_t i = 0; i < tile.count; ++i) {
        bool takes_part = !tile.mask || tile.mask[i];
        if (!takes_part || !is_there(tile.addresses[i], tile.bytes)) continue;
        memcpy(static_cast<char*>(values) + i * tile.bytes, reinterpret_cast<const void*>(tile.addresses[i]), tile.bytes);
    }
}

void Programs::store(const simt_tile& tile, const void* values) {
    size_t at = append(tile, WRITE).begin * kWidest;
    OpenShield open;
    for (size_t i = 0; i < tile.count; ++i) {
        if (tile.mask && !tile.mask[i]) continue;
        const char* value = static_cast<const char*>(values) + i * tile.bytes;
        memcpy(&values_[at], value, tile.bytes);
        at += kWidest;
        if (!is_there(tile.addresses[i], tile.bytes)) continue;
        keep(tile.addresses[i], tile.bytes);
        memcpy(reinterpret_cast<void*>(tile.addresses[i]), value, tile.bytes);
    }
}

void Programs::begin_update(const simt_tile& tile, uint8_t* usable) {
    append(tile, READ | WRITE | ATOMIC);
    OpenShield open;
    for (size_t i = 0; i < tile.count; ++i) {
        usable[i] =
            (!tile.mask || tile.mask[i]) && is_there(tile.addresses[i], tile.bytes) && tile.addresses[i] % tile.bytes == 0;
        if (usable[i]) keep(tile.addresses[i], tile.bytes);
    }
}

void Programs::end_update() {
    const TileAccess& access = accesses_.back();
    OpenShield open;
    for (size_t i = access.begin; i < access.begin + access.count; ++i) {
        if (!is_there(addresses_[i], access.bytes)) continue;
        memcpy(&values_[i * kWidest], reinterpret_cast<const void*>(addresses_[i]), access.bytes);
    }
}

void Programs::undo() {
    OpenShield open;
    for (; !before_.empty(); before_.pop_back()) {
        const Before& before = before_.back();
        memcpy(reinterpret_cast<void*>(before.address), before.value, before.bytes);
    }
}

// ---- again, as a launch -----------------------------------------------------------------------------------------------------

int Programs::launch() {
    undo();
    for (const TileAccess& access : accesses_) order_by_address(access);
    return simt_launch_kernel(&launch_);
}

// As the compiler would lay out the tile: neighbours in memory belong to neighbouring threads. Of two values for one address
// the later one still comes last.
void Programs::order_by_address(const TileAccess& access) {
    auto first = addresses_.begin() + ptrdiff_t(access.begin), end = first + ptrdiff_t(access.count);
    if (std::is_sorted(first, end)) return;
    std::vector<size_t> order(access.count);
    std::iota(order.begin(), order.end(), access.begin);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return addresses_[a] < addresses_[b]; });
    std::vector<uintptr_t> addresses(access.count);
    std::vector<uint8_t> values(access.count * kWidest);
    for (size_t i = 0; i < access.count; ++i) {
        addresses[i] = addresses_[order[i]];
        memcpy(&values[i * kWidest], &values_[order[i] * kWidest], kWidest);
    }
    std::copy(addresses.begin(), addresses.end(), first);
    std::copy(values.begin(), values.end(), values_.begin() + ptrdiff_t(access.begin * kWidest));
}

void Programs::run_thread(void* closure) {
    auto& programs = **static_cast<Programs**>(closure);
    Block& block = *running_block;
    programs.replay(block.current().thread, block.threads(), programs.ranges_[block.linear()]);
}

void Programs::replay(unsigned thread, unsigned threads, const Range& range) {
    for (size_t i = range.begin; i < range.end; ++i) {
        const TileAccess& access = accesses_[i];
        const void* pc = call_in(*module_, access.line);
        for (size_t element = thread; element < access.count; element += threads) make(access, access.begin + element, pc);
        if (i + 1 < range.end) running_block->barrier(0, 0, pc);
    }
}

void Programs::make(const TileAccess& access, size_t element, const void* pc) {
    uintptr_t address = addresses_[element];
    if (access.kind & ATOMIC) {
        simt_check_atomic(reinterpret_cast<const void*>(address), access.bytes, access.kind, pc);
    } else {
        int kind = address % access.bytes ? access.kind | MISALIGNED : access.kind;
        simt_check_range(reinterpret_cast<const void*>(address), access.bytes, kind, pc);
    }
    if (access.kind & WRITE && is_there(address, access.bytes)) {
        memcpy(reinterpret_cast<void*>(address), &values_[element * kWidest], access.bytes);
    }
}

}  // namespace simt

using namespace simt;

extern "C" {
simt_programs* simt_programs_begin(const simt_program_grid* grid) {
    return reinterpret_cast<simt_programs*>(new Programs(*grid));
}

uint64_t simt_programs_next(simt_programs* programs) { return reinterpret_cast<Programs*>(programs)->next(); }

void simt_programs_load(simt_programs* programs, const simt_tile* tile, void* values) {
    reinterpret_cast<Programs*>(programs)->load(*tile, values);
}

void simt_programs_store(simt_programs* programs, const simt_tile* tile, const void* values) {
    reinterpret_cast<Programs*>(programs)->store(*tile, values);
}

void simt_programs_begin_update(simt_programs* programs, const simt_tile* tile, uint8_t* usable) {
    reinterpret_cast<Programs*>(programs)->begin_update(*tile, usable);
}

void simt_programs_end_update(simt_programs* programs) { reinterpret_cast<Programs*>(programs)->end_update(); }

int simt_programs_launch(simt_programs* programs) { return reinterpret_cast<Programs*>(programs)->launch(); }

void simt_programs_end(simt_programs* programs) {
    auto* ended = reinterpret_cast<Programs*>(programs);
    ended->undo();
    delete ended;
}
}
