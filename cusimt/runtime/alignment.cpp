// Aligns the instruction lists of a warp's lanes and counts one request per instruction that they execute together.
#include "alignment.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace simt {

namespace {
// After so many edits the best way so far is taken: divergence without any pattern must not cost quadratic time.
constexpr int kMostEdits = 64;
constexpr int kDeepest = 16;  // nested marks; this runs on a fiber's stack
constexpr double kMostSpread = 0.5;
}  // namespace

std::vector<Step>& Alignment::align(const Lists& lists, const std::vector<uintptr_t>& place, bool complete) {
    result_.clear();
    tallies_.resize(place.size());
    place_ = place.data();
    merge(lists, complete, 0);
    return result_;
}

void Alignment::merge(const Lists& lists, bool complete, int depth) {
    if (merge_equal(lists)) return;
    size_t first_step = result_.size();
    Mark mark;
    if (depth < kDeepest) mark = find_mark(lists, complete);
    if (mark.lanes) merge_between(mark, lists, complete, depth + 1);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!(mark.lanes >> lane & 1)) add(first_step, lists[lane], lane);
    }
}

// The usual case: all lanes that did anything did the same.
bool Alignment::merge_equal(const Lists& lists) {
    const List* first = nullptr;
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const List& list = lists[lane];
        if (list.size() == 0) continue;
        if (first && !std::equal(list.begin, list.end, first->begin, first->end)) return false;
        if (!first) first = &list;
        lanes |= 1u << lane;
    }
    if (!first) return true;
    for (const uint32_t* site = first->begin; site != first->end; ++site) result_.push_back({*site, lanes});
    return true;
}

// ---- marks ---------------------------------------------------------------------------------------------------------------

void Alignment::tally(const Lists& lists) {
    touched_.clear();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        for (const uint32_t* site = lists[lane].begin; site != lists[lane].end; ++site) {
            Tally& tally = tallies_[*site];
            if (!tally.lanes) touched_.push_back(*site);
            tally.lanes |= 1u << lane;
            ++tally.of_lane;
        }
        for (const uint32_t* site = lists[lane].begin; site != lists[lane].end; ++site) {
            Tally& tally = tallies_[*site];
            if (!tally.of_lane) continue;  // seen already
            tally.least = tally.least ? std::min(tally.least, tally.of_lane) : tally.of_lane;
            tally.most = std::max(tally.most, tally.of_lane);
            tally.of_lane = 0;
        }
    }
}

Alignment::Mark Alignment::find_mark(const Lists& lists, bool complete) {
    tally(lists);
    Mark mark;
    double best_spread = 1;
    for (uint32_t site : touched_) {
        const Tally tally = std::exchange(tallies_[site], Tally{});
        bool even = tally.most == tally.least || (tally.least > 1 && tally.most == tally.least + 1);
        double spread = complete ? 0 : double(tally.most - tally.least) / tally.most;
        if ((complete ? !even : spread > kMostSpread) || std::popcount(tally.lanes) < 2) continue;
        int more = std::popcount(tally.lanes) - std::popcount(mark.lanes);
        bool earlier = spread < best_spread || (spread == best_spread && place_[site] < place_[mark.site]);
        if (more < 0 || (more == 0 && !earlier)) continue;
        mark = {site, tally.lanes, tally.least};
        best_spread = spread;
    }
    return mark;
}

void Alignment::merge_between(const Mark& mark, const Lists& lists, bool complete, int depth) {
    const uint32_t* at[kWarpSize] = {};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) at[lane] = lists[lane].begin;
    for (uint32_t round = 0; round <= mark.times; ++round) {
        Lists between;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            if (!(mark.lanes >> lane & 1)) continue;
            const uint32_t* end = round < mark.times ? std::find(at[lane], lists[lane].end, mark.site) : lists[lane].end;
            between[lane] = {at[lane], end};
            at[lane] = end + (round < mark.times);
        }
        merge(between, complete || round < mark.times, depth);
        if (round < mark.times) result_.push_back({mark.site, mark.lanes});
    }
}

// ---- the shortest list ---------------------------------------------------------------------------------------------------

// Merges one lane's list into the steps from `first_step` on, by the shortest edit script (E. W. Myers, "An O(ND) difference
// algorithm and its variations", 1986).
void Alignment::add(size_t first_step, const List& list, unsigned lane) {
    if (list.size() == 0) return;
    others_.assign(result_.begin() + ptrdiff_t(first_step), result_.end());
    result_.resize(first_step);
    own_.clear();
    for (const uint32_t* site = list.begin; site != list.end; ++site) own_.push_back({*site, 1u << lane});
    number_rounds(others_.data(), others_.size(), other_rounds_);
    number_rounds(own_.data(), own_.size(), own_rounds_);
    from_own_ = from_other_ = 0;
    while (!take_common()) edit();
}

// Passes what the lane and the others do next together; true at the end, when the rest is only the lane's or only the others'.
bool Alignment::take_common() {
    while (from_own_ < own_.size() && from_other_ < others_.size()) {
        const Step &other = others_[from_other_], &own = own_[from_own_];
        if (other.site != own.site) return false;
        result_.push_back({own.site, other.lanes | own.lanes});
        ++from_other_, ++from_own_;
    }
    result_.insert(result_.end(), others_.begin() + ptrdiff_t(from_other_), others_.end());
    result_.insert(result_.end(), own_.begin() + ptrdiff_t(from_own_), own_.end());
    return true;
}

// For each step, how often its instruction came before.
void Alignment::number_rounds(const Step* steps, size_t count, std::vector<uint32_t>& rounds) {
    rounds.resize(count);
    for (size_t i = 0; i < count; ++i) rounds[i] = tallies_[steps[i].site].of_lane++;
    for (size_t i = 0; i < count; ++i) tallies_[steps[i].site].of_lane = 0;
}

// Onwards from there as long as the lane and the others do the same.
Alignment::Reach Alignment::slide(Reach from, int diagonal) const {
    if (from.step < 0) return from;
    size_t other = from_other_ + size_t(from.step), own = from_own_ + size_t(from.step - diagonal);
    for (; other < others_.size() && own < own_.size() && others_[other].site == own_[own].site; ++other, ++own) {
        ++from.step;
        from.score += other_rounds_[other] == own_rounds_[own];
    }
    return from;
}

// Finds the furthest point of each number of edits on each diagonal (steps passed - entries passed) until the end or kMostEdits
// is reached. Of two ways that lead to a point the one with more matches of the same round is taken.
void Alignment::edit() {
    int steps = int(others_.size() - from_other_), entries = int(own_.size() - from_own_);
    int best = -1, best_edits = 0, best_diagonal = 0;
    for (int d = 0; d <= kMostEdits && best < steps + entries; ++d) {
        if (size_t(d) == reaches_.size()) reaches_.emplace_back(size_t(2 * d + 1));
        const Reach* before = d ? reaches_[size_t(d - 1)].data() + (d - 1) : nullptr;
        for (int k = -d; k <= d; k += 2) {
            Reach by_step, by_entry;
            if (d == 0) by_step.step = 0;  // where the script begins
            if (d && k > -d && before[k - 1].step >= 0 && before[k - 1].step < steps) {
                by_step = {before[k - 1].step + 1, false, before[k - 1].score};
            }
            if (d && k < d && before[k + 1].step >= 0 && before[k + 1].step - k <= entries) {
                by_entry = {before[k + 1].step, true, before[k + 1].score};
            }
            by_step = slide(by_step, k);
            by_entry = slide(by_entry, k);
            bool entry_wins = by_entry.step != by_step.step ? by_entry.step > by_step.step : by_entry.score > by_step.score;
            const Reach& now = reaches_[size_t(d)][size_t(d + k)] = entry_wins ? by_entry : by_step;
            int passed = now.step < 0 ? -1 : 2 * now.step - k;
            bool one_sided = passed == best && std::abs(k) > std::abs(best_diagonal);  // a loop that goes on for some
            if (passed > best || one_sided) best = passed, best_edits = d, best_diagonal = k;
        }
    }
    follow(best_edits, best_diagonal);
}

// Writes the steps of the way that edit() has found, back to front.
void Alignment::follow(int edits, int diagonal) {
    size_t begin = result_.size();
    int step = reaches_[size_t(edits)][size_t(edits + diagonal)].step, entry = step - diagonal;
    size_t to_other = from_other_ + size_t(step), to_own = from_own_ + size_t(entry);
    for (int d = edits;; --d) {
        int k = step - entry, start = 0;
        bool own = reaches_[size_t(d)][size_t(d + k)].own;
        const Reach* before = d ? reaches_[size_t(d - 1)].data() + (d - 1) : nullptr;
        if (before) start = own ? before[k + 1].step : before[k - 1].step + 1;
        for (; step > start; --step, --entry) {  // passed together
            const Step& other = others_[from_other_ + size_t(step) - 1];
            result_.push_back({other.site, other.lanes | own_[0].lanes});
        }
        if (d == 0) break;
        result_.push_back(own ? own_[from_own_ + size_t(--entry)] : others_[from_other_ + size_t(--step)]);
    }
    std::reverse(result_.begin() + ptrdiff_t(begin), result_.end());
    from_other_ = to_other;
    from_own_ = to_own;
}

}  // namespace simt
