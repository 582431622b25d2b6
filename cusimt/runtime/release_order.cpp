// Publishes what was done before a fence, and makes it known to those who read the flag.
#include "release_order.h"

#include <algorithm>

#include "shared_memory.h"

namespace simt {

Flags flags;

namespace {
Shared with(const Shared& known, uint32_t block, unsigned warp, uint32_t moment) {
    auto more = known ? std::make_shared<Knowledge>(*known) : std::make_shared<Knowledge>();
    more->add(block, warp, moment);
    return more;
}
bool covers(const Shared& known, uint32_t block, unsigned warp, uint32_t moment) {
    return known && known->covers(block, warp, moment);
}
}  // namespace

void ReleaseOrder::begin_block(uint32_t number) {
    number_ = number;
    if (present_) warps_.clear();
    reads_.clear();
    present_ = watching_ = 0;
    known_ = heard_ = fenced_ = nullptr;
    has_written_volatile_ = false;
}

// Everybody knows what anybody knew. A barrier also stands for the fence at the beginning of a critical section.
void ReleaseOrder::pass_barrier() {
    for (unsigned number = 0; number < 32; ++number) {
        Warp* warp = find(number);
        if (!warp) continue;
        for (Lock& lock : warp->locks) {
            known_ = joined(known_, joined(lock.pending.to_block, lock.pending.to_device));
            lock.pending = {};
            lock.open_to_block = lock.open_to_device = false;
        }
        known_ = joined(known_, warp->known);
        heard_ = joined(heard_, warp->heard);
        if (warp->device.moment) fenced_ = joined(fenced_, released(warp->device, number));
        has_written_volatile_ = has_written_volatile_ || warp->has_written_volatile;
        std::vector<Lock> locks = std::move(warp->locks);
        *warp = {};
        warp->locks = std::move(locks);
        if (warp->locks.empty()) present_ &= ~(1u << number);
    }
    watching_ = 0;
}

// ---- what others are told -------------------------------------------------------------------------------------------------

void ReleaseOrder::fence(unsigned number, int scope) {
    Warp& warp = at(number);
    for (Lock& lock : warp.locks) {
        lock.open_to_block = false;
        warp.known = joined(warp.known, lock.pending.to_block);
        lock.pending.to_block = nullptr;
        if (scope != kFenceDevice) continue;
        lock.open_to_device = false;
        warp.known = joined(warp.known, lock.pending.to_device);
        lock.pending.to_device = nullptr;
    }
    warp.block = {shared_memory.moment(), shared_memory.epoch(), joined(known_, warp.known)};
    if (scope == kFenceDevice) warp.device = warp.block;
    watch(number);
    shared_memory.begin_moment();
}

Shared ReleaseOrder::released(const Fence& fence, unsigned warp) const {
    return with(with(fence.known, number_, warp, fence.moment), number_, Knowledge::kWholeBlock, fence.barrier - 1);
}

Published ReleaseOrder::published(const Warp* warp, unsigned number, bool reaches_device) const {
    Published what;
    if (reaches_device) {
        what.to_device = warp && warp->device.moment ? joined(fenced_, released(warp->device, number)) : fenced_;
    }
    bool is_same = reaches_device && warp && warp->block.moment == warp->device.moment;
    if (is_same) what.to_block = what.to_device;
    else if (warp && warp->block.moment) what.to_block = released(warp->block, number);
    return what;
}

void ReleaseOrder::write_volatile(unsigned warp) { at(warp).has_written_volatile = true; }

void ReleaseOrder::read_volatile(unsigned warp, uintptr_t address) {
    for (Read& read : reads_) {
        if (read.address != address || read.warp != warp) continue;
        read.moment = shared_memory.moment();
        return;
    }
    Read now{address, warp, shared_memory.moment()};
    if (reads_.size() < kMostReads) reads_.push_back(now);
    else reads_[next_read_++ % kMostReads] = now;
}

void ReleaseOrder::send(unsigned number, uintptr_t address, bool reaches_device, bool restores) {
    Warp* warp = find(number);
    if (!warp && !known_ && !heard_ && !fenced_ && !has_written_volatile_) return;  // it has nothing to tell
    Published lax = published(warp, number, reaches_device), strict = lax;
    bool announces = has_written_volatile_ || heard_ || (warp && (warp->has_written_volatile || warp->heard));
    Flag& flag = flags.at(address);
    flag.block = number_;
    auto is_this = [&](const Lock& lock) { return lock.address == address; };
    auto lock = warp ? std::find_if(warp->locks.begin(), warp->locks.end(), is_this) : std::vector<Lock>::iterator();
    if (warp && restores && lock != warp->locks.end()) {
        flag.is_restored = true;
        flag.restored = lock->expected;
        if (lock->broken_for_block) strict.to_block = nullptr;
        if (lock->broken_for_device) strict.to_device = nullptr;
        warp->locks.erase(lock);
        watch(number);
    }
    flag.lax.add(number_, lax);
    flag.strict.add(number_, strict);
    if (!announces) return;
    Shared said = joined(heard_, warp ? warp->heard : nullptr);
    if (has_written_volatile_) said = with(said, number_, Knowledge::kWholeBlock, shared_memory.epoch() - 1);
    flag.announced = joined(flag.announced, with(said, number_, number, shared_memory.moment()));
    if (warp) warp->has_written_volatile = false;
    shared_memory.begin_moment();
}

// ---- what is heard --------------------------------------------------------------------------------------------------------

void ReleaseOrder::learn(Warp& warp, const Published& what) {
    warp.known = joined(warp.known, joined(what.to_block, what.to_device));
}

void ReleaseOrder::receive(unsigned number, uintptr_t address, bool hears_device) {
    const Flag* flag = flags.find(address);
    if (!flag) return;
    Warp& warp = at(number);
    learn(warp, flag->lax.in(number_, hears(*flag, hears_device)));
    warp.heard = joined(warp.heard, flag->announced);
}

void ReleaseOrder::take(unsigned number, uintptr_t address, uint64_t expected, bool hears_device) {
    Flag* flag = flags.find(address);
    Warp& warp = at(number);
    Lock lock{address, expected};
    if (flag) {
        flag->is_lock = flag->is_lock || (flag->is_restored && flag->restored == expected);
        bool device = hears(*flag, hears_device);
        if (flag->is_lock) lock.pending = flag->strict.in(number_, device);
        if (flag->is_lock && flag->block == number_)  // a fence of the block is enough
            lock.pending.to_block = joined(lock.pending.to_block, lock.pending.to_device);
        if (!flag->is_lock) learn(warp, flag->lax.in(number_, device));
        warp.heard = joined(warp.heard, flag->announced);
    }
    if (warp.locks.size() == kMostLocks) warp.locks.erase(warp.locks.begin());
    warp.locks.push_back(lock);
    watch(number);
}

void ReleaseOrder::note_access(unsigned number) {
    for (Lock& lock : at(number).locks) {
        lock.broken_for_block = lock.broken_for_block || lock.open_to_block;
        lock.broken_for_device = lock.broken_for_device || lock.open_to_device;
    }
    watch(number);
}

void ReleaseOrder::watch(unsigned number) {
    const std::vector<Lock>& locks = at(number).locks;
    bool awaits = std::any_of(locks.begin(), locks.end(), [](const Lock& lock) { return lock.awaits_access(); });
    watching_ = awaits ? watching_ | 1u << number : watching_ & ~(1u << number);
    shared_memory.show_identity();
}

// ---- what is known --------------------------------------------------------------------------------------------------------

bool ReleaseOrder::knows(unsigned number, uint32_t block, unsigned other, uint32_t moment) const {
    const Warp* warp = find(number);
    return covers(known_, block, other, moment) || (warp && covers(warp->known, block, other, moment));
}

bool ReleaseOrder::has_heard_of(unsigned number, uint32_t block, unsigned other, uint32_t moment) const {
    const Warp* warp = find(number);
    return covers(heard_, block, other, moment) || (warp && covers(warp->heard, block, other, moment));
}

bool ReleaseOrder::answers(unsigned number, uintptr_t address, uint32_t moment) const {
    const Warp* warp = find(number);
    uint32_t barrier = shared_memory.epoch(), fence = warp ? warp->block.moment : 0;
    return std::any_of(reads_.begin(), reads_.end(), [&](const Read& read) {
        bool is_known = read.moment < barrier || (read.warp == number && read.moment <= fence);
        return read.address == address && read.moment >= moment && is_known;
    });
}

bool ReleaseOrder::holds(unsigned number, uintptr_t address) const {
    const Warp* warp = find(number);
    return warp &&
           std::any_of(warp->locks.begin(), warp->locks.end(), [&](const Lock& lock) { return lock.address == address; });
}

bool ReleaseOrder::holds_lock(unsigned number, uintptr_t but_for) const {
    const Warp* warp = find(number);
    if (!warp) return false;
    for (const Lock& lock : warp->locks) {
        const Flag* flag = flags.find(lock.address);
        if (lock.address != but_for && flag && flag->is_lock) return true;
    }
    return false;
}

}  // namespace simt
