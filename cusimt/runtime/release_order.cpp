// Releases what happened before a fence with the next strong write, and orders those after it who read the word.
#include "release_order.h"

#include <algorithm>
#include <utility>

#include "shared_memory.h"

namespace simt {

SynchronisationWords synchronisation_words;

namespace {
bool covers(const SharedClock& clock, uint32_t block, unsigned warp, uint32_t moment) {
    return clock && clock->covers(block, warp, moment);
}
}  // namespace

void ReleaseOrder::begin_block(uint32_t number) {
    number_ = number;
    if (present_) warps_.clear();
    taken_.clear();
    reads_.clear();
    present_ = watching_ = 0;
    clock_ = observed_ = fenced_ = nullptr;
}

// A barrier also stands for the fence at the beginning of a critical section.
void ReleaseOrder::pass_barrier() {
    bool has_written = false;
    for (unsigned number = 0; number < 32; ++number) {
        Warp* warp = find(number);
        if (!warp) continue;
        clock_ = joined(clock_, joined(warp->clock, joined(warp->unfenced.to_block, warp->unfenced.to_device)));
        observed_ = joined(observed_, warp->observed);
        if (warp->device.moment) fenced_ = joined(fenced_, released_by(warp->device, number));
        has_written = has_written || warp->has_written;
        unsigned locks = warp->locks;
        std::vector<Held> early = std::move(warp->early);
        *warp = {};
        warp->locks = locks;
        warp->early = std::move(early);
        if (locks == 0) present_ &= ~(1u << number);
    }
    watching_ = 0;
    if (!has_written) return;
    auto observed = observed_ ? std::make_shared<VectorClock>(*observed_) : std::make_shared<VectorClock>();
    observed->advance(number_, VectorClock::kWholeBlock, shared_memory.epoch() - 1);
    observed_ = observed;
}

// ---- release --------------------------------------------------------------------------------------------------------------

void ReleaseOrder::fence(unsigned number, int scope) {
    Warp& warp = at(number);
    warp.clock = joined(warp.clock, warp.unfenced.to_block);
    warp.unfenced.to_block = nullptr;
    if (scope == kFenceDevice) {
        warp.clock = joined(warp.clock, warp.unfenced.to_device);
        warp.unfenced.to_device = nullptr;
        close_sections(warp);
    }
    for (Opened& section : warp.opened) section.block_fence = std::min(section.block_fence, warp.accesses.size());
    watch(number);
    warp.block = {shared_memory.moment(), shared_memory.epoch(), joined(clock_, warp.clock), nullptr};
    if (scope == kFenceDevice) warp.device = warp.block;
    shared_memory.begin_moment();
}

SharedClock ReleaseOrder::released_by(Fence& fence, unsigned warp) const {
    if (fence.released) return fence.released;
    auto clock = fence.before ? std::make_shared<VectorClock>(*fence.before) : std::make_shared<VectorClock>();
    clock->advance(number_, warp, fence.moment);
    clock->advance(number_, VectorClock::kWholeBlock, fence.barrier - 1);
    if (&fence == &warps_[warp].device) return fence.released = joined(fenced_, clock);
    return fence.released = clock;
}

Released ReleaseOrder::released(Warp* warp, unsigned number, bool of_device) const {
    Released what;
    if (of_device) what.to_device = warp && warp->device.moment ? released_by(warp->device, number) : fenced_;
    bool is_same = of_device && warp && warp->block.moment == warp->device.moment;
    if (is_same) what.to_block = what.to_device;
    else if (warp && warp->block.moment) what.to_block = released_by(warp->block, number);
    return what;
}

void ReleaseOrder::write_unreleased(unsigned warp) { at(warp).has_written = true; }

// Its own unreleased writes belong to it. Later ones are of another moment.
SharedClock ReleaseOrder::observed_by(Warp* warp, unsigned number) {
    if (!warp) return observed_;
    if (warp->has_written) {
        const SharedClock& before = warp->observed ? warp->observed : observed_;
        auto observed = before ? std::make_shared<VectorClock>(*before) : std::make_shared<VectorClock>();
        observed->advance(number_, number, shared_memory.moment());
        warp->observed = observed;
        warp->has_written = false;
        shared_memory.begin_moment();
    }
    return warp->observed ? warp->observed : observed_;
}

void ReleaseOrder::release(unsigned number, uintptr_t address, bool of_device, bool stores) {
    Warp* warp = find(number);
    Released what = released(warp, number, of_device);
    SharedClock observed = observed_by(warp, number);
    if (stores) end_critical_section(number, address);
    bool is_any = !what && !observed;  // a word like any other, if nobody has released anything there
    SynchronisationWord* word = is_any ? synchronisation_words.find(address) : &synchronisation_words.at(address);
    if (!word) return;
    word->block = number_;
    word->release(number_, what);
    if (observed) word->observed = joined(word->observed, observed);
}

// Whoever of the block took it: the holder may be the whole block.
void ReleaseOrder::end_critical_section(unsigned number, uintptr_t address) {
    auto end = [&](unsigned warp) {
        const Swap* swap = taken_.find(key(address, warp));
        if (!swap) return false;
        SynchronisationWord& word = synchronisation_words.at(address);
        Warp& holder = at(warp);
        close_sections(holder);
        watch(warp);
        if (!word.lock) word.lock = std::make_unique<Lock>();
        word.lock->is_restored = true;
        word.lock->restored = swap->expected;
        if (!swap->early.empty()) word.lock->early = swap->early;
        std::erase_if(holder.early, [&](const Held& each) { return each.lock == address; });
        holder.locks -= swap->is_lock;
        taken_.erase(key(address, warp));
        return true;
    };
    const SynchronisationWord* word = end(number) ? nullptr : synchronisation_words.find(address);
    if (!word || !word->is_lock()) return;
    for (unsigned warp = 0; warp < 32; ++warp) {
        if (find(warp) && warps_[warp].locks) end(warp);
    }
}

// ---- acquire --------------------------------------------------------------------------------------------------------------

void ReleaseOrder::acquire(unsigned number, uintptr_t address, bool of_device) {
    const SynchronisationWord* word = synchronisation_words.find(address);
    Released what = word ? word->acquire(number_, of_device) : Released();
    Released more = synchronisation_words.acquire_forgotten(word, number_, of_device);
    bool has_observed = word && word->observed;
    if (!what && !more && !has_observed) return;
    Warp& warp = at(number);
    warp.clock = joined(joined(warp.clock, what.to_block), more.to_block);
    for (auto [latest, clock] : {std::pair(&warp.joined[0], &what.to_device), {&warp.joined[1], &more.to_device}}) {
        if (*latest == *clock) continue;
        warp.clock = joined(warp.clock, *clock);
        *latest = *clock;
    }
    if (has_observed) warp.observed = joined(warp.observed ? warp.observed : observed_, word->observed);
}

void ReleaseOrder::begin_critical_section(unsigned number, uintptr_t lock, uint64_t expected, bool of_device) {
    SynchronisationWord* word = synchronisation_words.find(lock);
    Lock* known = word ? word->lock.get() : nullptr;
    if (known) known->is_lock = known->is_lock || (known->is_restored && known->restored == expected);
    bool is_lock = known && known->is_lock;
    Warp& warp = at(number);
    Swap& swap = taken_.at(key(lock, number), [&](const Swap& old) { warps_[old.warp].locks -= old.is_lock; });
    if (is_lock && !swap.is_lock) ++warp.locks;
    if (!is_lock && swap.is_lock) --warp.locks;
    swap = {expected, number, is_lock};
    if (warp.opened.size() == kMostEarly || warp.accesses.size() == kMostEarly) close_sections(warp);
    warp.opened.push_back({lock, warp.accesses.size()});
    watch(number);
    if (!is_lock) return acquire(number, lock, of_device);
    Released what = word->acquire(number_, of_device), more = synchronisation_words.acquire_forgotten(word, number_, of_device);
    what = {joined(what.to_block, more.to_block), joined(what.to_device, more.to_device)};
    for (const EarlyAccess& each : known->early) warp.early.push_back({lock, each});
    if (word->block == number_) what.to_block = joined(what.to_block, what.to_device);  // a fence of the block is enough
    warp.unfenced.to_block = joined(warp.unfenced.to_block, what.to_block);
    warp.unfenced.to_device = joined(warp.unfenced.to_device, what.to_device);
    if (word->observed) warp.observed = joined(warp.observed ? warp.observed : observed_, word->observed);
}

void ReleaseOrder::note_access(unsigned number, uintptr_t address) {
    std::vector<EarlyAccess>& accesses = at(number).accesses;
    EarlyAccess now{address / 4, number_, number, shared_memory.moment(), true};
    auto is_this = [&](const EarlyAccess& each) { return each.address == now.address && each.moment == now.moment; };
    if (std::none_of(accesses.begin(), accesses.end(), is_this)) accesses.push_back(now);
    if (accesses.size() == kMostEarly) watch(number);
}

// Those that were open are behind a fence, or are watched no longer.
void ReleaseOrder::close_sections(Warp& warp) {
    std::vector<EarlyAccess>& accesses = warp.accesses;
    for (const Opened& section : warp.opened) {
        Swap* swap = section.begin < accesses.size() ? taken_.find(key(section.lock, accesses[0].warp)) : nullptr;
        for (size_t i = section.begin; swap && i < accesses.size() && swap->early.size() < kMostEarly; ++i) {
            swap->early.push_back(accesses[i]);
            swap->early.back().before_block_fence = i < section.block_fence;
        }
    }
    warp.opened.clear();
    accesses.clear();
}

void ReleaseOrder::watch(unsigned number) {
    const Warp& warp = at(number);
    bool watches = !warp.opened.empty() && warp.accesses.size() < kMostEarly;
    watching_ = watches ? watching_ | 1u << number : watching_ & ~(1u << number);
    shared_memory.show_identity();
}

void ReleaseOrder::read_written(unsigned number, uintptr_t address) {
    const Warp* warp = find(number);
    uint32_t now = shared_memory.moment();
    reads_.at(key(address / 4, number)).note(now, warp ? warp->block.moment + 1 : 1);
    reads_.at(key(address / 4, kAnyWarp)).note(now, shared_memory.epoch());
}

// ---- what happened before -------------------------------------------------------------------------------------------------

bool ReleaseOrder::happens_before(uint32_t block, unsigned other, uint32_t moment, unsigned number) const {
    const Warp* warp = find(number);
    return covers(clock_, block, other, moment) || (warp && covers(warp->clock, block, other, moment));
}

bool ReleaseOrder::was_early(uint32_t block, unsigned other, uint32_t moment, uintptr_t address, unsigned number) const {
    const Warp* warp = find(number);
    return warp && std::any_of(warp->early.begin(), warp->early.end(), [&](const Held& each) {
               bool is_it = each.access.address == address / 4 && each.access.moment == moment;
               bool is_unordered = each.access.before_block_fence || block != number_;
               return is_it && is_unordered && each.access.block == block && each.access.warp == other;
           });
}

bool ReleaseOrder::lacks_fence(uint32_t block, unsigned other, uint32_t moment, unsigned number) const {
    const Warp* warp = find(number);
    if (!warp) return false;
    return covers(warp->unfenced.to_block, block, other, moment) || covers(warp->unfenced.to_device, block, other, moment);
}

bool ReleaseOrder::has_observed(unsigned number, uint32_t block, unsigned other, uint32_t moment) const {
    const Warp* warp = find(number);
    return covers(observed_, block, other, moment) || (warp && covers(warp->observed, block, other, moment));
}

bool ReleaseOrder::has_read_since(unsigned number, uintptr_t address, uint32_t moment) const {
    const Warp* warp = find(number);
    const Reads *own = reads_.find(key(address / 4, number)), *any = reads_.find(key(address / 4, kAnyWarp));
    if (!any) return reads_.has_forgotten();
    if (any->latest_before(shared_memory.epoch()) >= moment) return true;
    return own && warp && warp->block.moment && own->latest_before(warp->block.moment + 1) >= moment;
}

bool ReleaseOrder::is_in_another_critical_section(unsigned number, uintptr_t lock) const {
    const Warp* warp = find(number);
    if (!warp || !warp->locks) return false;
    const Swap* swap = taken_.find(key(lock, number));
    return warp->locks > unsigned(swap && swap->is_lock);
}

}  // namespace simt
