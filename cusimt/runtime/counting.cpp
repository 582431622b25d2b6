// Counts requests, sectors and wavefronts per instruction while a launch is profiled.
#include "counting.h"

#include <algorithm>
#include <atomic>

#include "access_state.h"
#include "arena.h"
#include "callers.h"
#include "execution.h"
#include "modules.h"
#include "registered.h"
#include "shared_memory.h"

namespace simt {

Counting counting;

namespace {
std::atomic<bool> wanted = false;
constexpr int kMostTurns = 16;  // that a lane which is ahead gives to the others
constexpr uintptr_t kPageBytes = 4096;
constexpr uint32_t kTogether = 0;  // the first site: no access, but lanes of a warp that met in a collective

// A size for which there is no instruction is moved in pieces of one for which there is.
uintptr_t piece_of(uintptr_t address, uintptr_t bytes) {
    uintptr_t lowest_bit = (address | bytes | 16) & (0 - (address | bytes | 16));
    bool one_access = bytes <= 16 && (bytes & (bytes - 1)) == 0;
    return one_access ? bytes : lowest_bit;
}
}  // namespace

// ---- the launch ----------------------------------------------------------------------------------------------------------

void Counting::begin_launch(const simt_launch& launch, AccessState& access) {
    access.counted = wanted && launch.module->checked && !launch.is_trial;
    access_ = access.counted ? &access : nullptr;
    if (!access_) return;
    arena_bytes_ = access.arena_bytes;
    shared_bytes_ = access.shared_bytes;
    show_ranges(false);
    sites_.assign(1, Site{});
    places_.assign(1, 0);
    site_index_.clear();
    std::fill(std::begin(recent_sites_), std::end(recent_sites_), RecentSite{});
    pages_.clear();
    latest_page_ = nullptr;
    barriers_ = tensor_multiply_adds_ = 0;
    logs_.resize(kMaxBlockThreads / kWarpSize);
    for (WarpLog& log : logs_) log.reset(launch.block[0] * launch.block[1] * launch.block[2]);
}

void Counting::show_ranges(bool there) {
    access_->arena_bytes = there ? arena_bytes_ : 0;
    access_->shared_bytes = there ? shared_bytes_ : 0;
    if (!there) shared_memory.forget_near();
    access_->counted = !there;
}

// ---- accesses ------------------------------------------------------------------------------------------------------------

Counting::Space Counting::space_of(uintptr_t address, uintptr_t bytes) {
    if (arena.region(address) >= 0) return Space::global;
    if (address - shared_memory.begin() < shared_memory.bytes()) {
        return bytes == 1 && shared_memory.is_guard(address) ? Space::none : Space::shared;
    }
    Symbol symbol;
    if (find_symbol(reinterpret_cast<void*>(address), &symbol)) return symbol.constant ? Space::none : Space::global;
    return is_registered_host_memory(address, bytes) ? Space::global : Space::none;
}

void Counting::note(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    if (address - access_->quiet_begin < access_->quiet_bytes) return;
    Space space = space_of(address, bytes);
    if (space == Space::none) return;
    if (kind & ATOMIC) {
        append(address, bytes, space, Access::atomic, pc);
        return;
    }
    if (kind & READ) append(address, bytes, space, Access::load, pc);
    if (kind & WRITE) append(address, bytes, space, Access::store, pc);
}

void Counting::append(uintptr_t address, uintptr_t bytes, Space space, Access access, const void* pc) {
    unsigned thread = running_block->current().thread;
    uintptr_t piece = piece_of(address, bytes);
    uint32_t site = site_of({pc, space, access, uint8_t(piece)});
    for (uintptr_t at = 0; at < bytes; at += piece) logs_[thread / kWarpSize].append(thread % kWarpSize, site, address + at);
}

uint32_t Counting::site_of(const Site& wanted_site) {
    // Addresses of code have 48 bits.
    uint64_t key = uint64_t(reinterpret_cast<uintptr_t>(wanted_site.pc)) << 16 | uint64_t(wanted_site.bytes) << 8 |
                   uint64_t(wanted_site.space) << 4 | uint64_t(wanted_site.access);
    RecentSite& recent = recent_sites_[(key >> 16 ^ key >> 24) % kRecentSites];
    if (recent.key == key) return recent.site;
    auto [entry, is_new] = site_index_.emplace(key, uint32_t(sites_.size()));
    if (is_new) {
        sites_.push_back(wanted_site);
        sites_.back().calls = callers_of(wanted_site.pc);
        places_.push_back(reinterpret_cast<uintptr_t>(wanted_site.pc));
    }
    recent = {key, entry->second};
    return entry->second;
}

void Counting::pace(const void* pc) {
    Block& block = *running_block;
    unsigned thread = block.current().thread;
    WarpLog& log = logs_[thread / kWarpSize];
    if (!log.is_full(thread % kWarpSize)) return;
    for (int turn = 0; turn < kMostTurns && log.is_full(thread % kWarpSize); ++turn) {
        if (!log.behind(block.warp_of(thread).live)) break;
        block.yield(pc);
    }
    if (log.is_full(thread % kWarpSize)) settle(thread / kWarpSize, false);
    if (log.is_full(thread % kWarpSize)) settle(thread / kWarpSize, true);  // the others wait for something else
}

// ---- lanes stand together ------------------------------------------------------------------------------------------------

void Counting::pass_barrier(const std::vector<Fiber*>& threads) {
    uint32_t warps = 0;
    for (const Fiber* fiber : threads) warps |= 1u << (fiber->thread / kWarpSize);
    barriers_ += unsigned(__builtin_popcount(warps));
    end_block();
}

void Counting::meet(unsigned warp, uint32_t lanes, uint32_t live) {
    if ((lanes & live) == live) {
        settle(warp, true);
        return;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) logs_[warp].append(unsigned(__builtin_ctz(rest)), kTogether, 0);
}

void Counting::end_block() {
    for (unsigned warp = 0; warp * kWarpSize < running_block->threads(); ++warp) settle(warp, true);
}

void Counting::settle(unsigned warp, bool everything) {
    logs_[warp].settle(places_, everything, [&](const Step& step, const uintptr_t* addresses) {
        if (step.site == kTogether) return;
        Site& site = sites_[step.site];
        Request request;
        request.lanes = step.lanes;
        request.bytes = site.bytes;
        std::copy_n(addresses, kWarpSize, request.address);
        count(warp, site, request);
    });
}

void Counting::count(unsigned warp, Site& site, Request& request) {
    uintptr_t first = request.address[__builtin_ctz(request.lanes)];
    Tally& tally = tally_of(site, first);
    if (site.space == Space::shared) {
        for (uintptr_t& address : request.address) address -= tally.base;
    } else {
        touch_sectors(request, site.access);
    }
    Traffic traffic = site.space == Space::shared ? shared_traffic(request, site.access) : global_traffic(request);
    auto lanes = unsigned(__builtin_popcount(request.lanes));
    ++tally.requests;
    tally.lanes += lanes;
    tally.sectors += traffic.sectors;
    tally.wavefronts += traffic.wavefronts;
    tally.ideal_sectors += traffic.ideal_sectors;
    tally.ideal_wavefronts += traffic.ideal_wavefronts;
    int64_t excess = int64_t(traffic.sectors + traffic.wavefronts) - traffic.ideal_sectors - traffic.ideal_wavefronts;
    excess = excess * (kWarpSize + 1) + lanes;  // among equals the one with more lanes shows more
    if (excess <= tally.worst.excess) return;
    tally.worst = {request, running_block->index(), warp, excess};
    if (site.space == Space::global) {
        for (uintptr_t& address : tally.worst.request.address) address -= tally.base;
    }
}

// A request that touches two allocations counts for the one of its first lane.
Tally& Counting::tally_of(Site& site, uintptr_t address) {
    for (Tally& tally : site.tallies) {
        if (address - tally.base < tally.end - tally.base) return tally;
    }
    Tally& tally = site.tallies.emplace_back();
    if (site.space == Space::shared) {
        tally.base = shared_memory.begin();
        tally.end = tally.base + shared_memory.bytes();
    } else if (auto allocation = nearest_allocation(address)) {
        tally.base = allocation->base;
        tally.end = allocation->base + allocation->span;
        tally.is_allocation = true;
    } else if (const simt_module& module = *execution.launch->module; in_data(module, address)) {
        tally.base = reinterpret_cast<uintptr_t>(module.device_begin);
        tally.end = reinterpret_cast<uintptr_t>(module.device_end);
    } else {
        tally.base = address;  // registered host memory
        tally.end = UINTPTR_MAX;
    }
    tally.end = std::max(tally.end, address + 1);  // an access that missed all allocations
    return tally;
}

Counting::Page& Counting::page_of(uintptr_t number) {
    if (!latest_page_ || latest_page_number_ != number) {
        latest_page_ = &pages_[number];
        latest_page_number_ = number;
    }
    return *latest_page_;
}

void Counting::touch_sectors(const Request& request, Access access) {
    for (uint32_t rest = request.lanes; rest; rest &= rest - 1) {
        uintptr_t address = request.address[__builtin_ctz(rest)];
        for (uintptr_t sector = address / kSectorBytes; sector <= (address + request.bytes - 1) / kSectorBytes; ++sector) {
            Page& page = page_of(sector * kSectorBytes / kPageBytes);
            auto within = sector % (kPageBytes / kSectorBytes);
            uint64_t bit = uint64_t(1) << within % 64;
            if (access != Access::store) page.read[within / 64] |= bit;
            if (access != Access::load) page.written[within / 64] |= bit;
        }
    }
}

}  // namespace simt

extern "C" void simt_set_counting(int on) { simt::wanted = on != 0; }
