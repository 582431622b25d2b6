// Sparse vector clocks of warps.
#include "vector_clock.h"

#include <algorithm>
#include <utility>

namespace simt {

uint32_t VectorClock::latest(uint64_t who) const {
    auto at = std::lower_bound(entries_.begin(), entries_.end(), who, [](const Entry& e, uint64_t key) { return e.who < key; });
    return at != entries_.end() && at->who == who ? at->moment : 0;
}

bool VectorClock::covers(uint32_t block, unsigned warp, uint32_t moment) const {
    return moment <= all_before_ || moment <= latest(key(block, warp)) || moment <= latest(key(block, kWholeBlock));
}

void VectorClock::advance(uint32_t block, unsigned warp, uint32_t moment) {
    if (moment == 0) return;
    uint64_t who = key(block, warp);
    auto at = std::lower_bound(entries_.begin(), entries_.end(), who, [](const Entry& e, uint64_t key) { return e.who < key; });
    if (at != entries_.end() && at->who == who) at->moment = std::max(at->moment, moment);
    else entries_.insert(at, {who, moment});
    limit();
}

void VectorClock::join(const VectorClock& other) {
    all_before_ = std::max(all_before_, other.all_before_);
    std::vector<Entry> merged;
    merged.reserve(entries_.size() + other.entries_.size());
    auto mine = entries_.begin();
    for (const Entry& theirs : other.entries_) {
        while (mine != entries_.end() && mine->who < theirs.who) merged.push_back(*mine++);
        bool both = mine != entries_.end() && mine->who == theirs.who;
        merged.push_back({theirs.who, both ? std::max(mine->moment, theirs.moment) : theirs.moment});
        if (both) ++mine;
    }
    merged.insert(merged.end(), mine, entries_.end());
    entries_ = std::move(merged);
    limit();
}

// More than is worth keeping: everything up to the latest moment counts as covered, which may hide a race and never invents one.
void VectorClock::limit() {
    if (entries_.size() <= kMostEntries) return;
    for (const Entry& entry : entries_) all_before_ = std::max(all_before_, entry.moment);
    entries_.clear();
}

bool VectorClock::includes(const VectorClock& other) const {
    if (other.all_before_ > all_before_) return false;
    auto mine = entries_.begin();
    for (const Entry& theirs : other.entries_) {
        if (theirs.moment <= all_before_) continue;
        while (mine != entries_.end() && mine->who < theirs.who) ++mine;
        if (mine == entries_.end() || mine->who != theirs.who || mine->moment < theirs.moment) return false;
    }
    return true;
}

SharedClock joined(const SharedClock& a, const SharedClock& b) {
    if (!a || a == b) return b;
    if (!b || a->includes(*b)) return a;
    auto both = std::make_shared<VectorClock>(*a);
    both->join(*b);
    return both;
}

}  // namespace simt
