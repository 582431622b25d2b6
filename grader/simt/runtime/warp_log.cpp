#include "warp_log.h"

#include <algorithm>

namespace simt {

std::vector<WarpLog::Step> WarpLog::steps_, WarpLog::merged_;
std::vector<std::vector<int>> WarpLog::furthest_;

namespace {
// Beyond so many edits in a row the best path so far is taken: divergence without any pattern must not cost quadratic time.
constexpr int kMostEdits = 512;
}  // namespace

bool WarpLog::empty() const {
    return std::all_of(lanes_, lanes_ + kWarpSize, [](const auto& entries) { return entries.empty(); });
}

void WarpLog::clear() {
    for (auto& entries : lanes_) entries.clear();
}

uint32_t WarpLog::behind(uint32_t among) const {
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (among >> lane & 1 && !is_full(lane)) lanes |= 1u << lane;
    }
    return lanes;
}

void WarpLog::merge() {
    steps_.clear();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) add(lane);
}

// Merges one lane's list into the steps.
void WarpLog::add(unsigned lane) {
    const std::vector<Entry>& entries = lanes_[lane];
    size_t same = 0, shorter = std::min(steps_.size(), entries.size());
    while (same < shorter && steps_[same].site == entries[same].site) steps_[same++].lanes |= 1u << lane;
    if (same == entries.size()) return;
    if (same == steps_.size()) {
        for (; same < entries.size(); ++same) steps_.push_back({entries[same].site, 1u << lane});
        return;
    }
    size_t tail = 0;   // equal steps at the end
    while (tail < shorter - same && steps_[steps_.size() - 1 - tail].site == entries[entries.size() - 1 - tail].site) ++tail;
    merged_.assign(steps_.begin(), steps_.begin() + ptrdiff_t(same));
    Point at{same, same}, to{steps_.size() - tail, entries.size() - tail};
    while (at.step < to.step || at.entry < to.entry) at = edit(at, to, lane);
    for (; at.step < steps_.size(); ++at.step) merged_.push_back({steps_[at.step].site, steps_[at.step].lanes | 1u << lane});
    steps_.swap(merged_);
}

// The shortest way from one point towards another (E. W. Myers, "An O(ND) difference algorithm and its variations", 1986):
// furthest_[d][k + d] is how many steps can be passed with d edits on diagonal k = steps passed - entries passed.
WarpLog::Point WarpLog::edit(Point from, Point to, unsigned lane) {
    int steps = int(to.step - from.step), entries = int(to.entry - from.entry);
    const Entry* own = lanes_[lane].data() + from.entry;
    const Step* others = steps_.data() + from.step;
    int best_edits = 0, best = -1;
    Point reached = from;
    for (int d = 0; d <= kMostEdits; ++d) {
        if (size_t(d) == furthest_.size()) furthest_.emplace_back(size_t(2 * d + 1));
        int* row = furthest_[size_t(d)].data();
        const int* before = d ? furthest_[size_t(d - 1)].data() : nullptr;
        for (int k = -d; k <= d; k += 2) {
            int& x = row[k + d];
            if (d == 0) x = 0;
            else if (k == -d || (k != d && before[k - 2 + d] < before[k + d])) x = before[k + d];   // an entry of its own
            else x = before[k - 2 + d] + 1;                                                         // a step of others
            int y = x - k;
            while (x < steps && y < entries && others[x].site == own[y].site) ++x, ++y;
            if (x <= steps && y <= entries && x + y > best) {
                best = x + y;
                best_edits = d;
                reached = {from.step + size_t(x), from.entry + size_t(y)};
            }
        }
        if (best == steps + entries) break;
    }
    follow(from, reached, unsigned(best_edits), lane);
    return reached;
}

// Writes the steps of the path that edit() has found, back to front.
void WarpLog::follow(Point from, Point to, unsigned edits, unsigned lane) {
    size_t begin = merged_.size();
    int x = int(to.step - from.step), y = int(to.entry - from.entry);
    for (int d = int(edits); d >= 0; --d) {
        int k = x - y, from_x = 0;
        bool own = false;
        if (d > 0) {
            const int* before = furthest_[size_t(d - 1)].data();
            own = k == -d || (k != d && before[k - 2 + d] < before[k + d]);
            from_x = own ? before[k + d] : before[k - 2 + d] + 1;
        }
        for (; x > from_x; --x, --y) {   // where both went together
            const Step& step = steps_[from.step + size_t(x) - 1];
            merged_.push_back({step.site, step.lanes | 1u << lane});
        }
        if (d == 0) break;
        if (own) merged_.push_back({lanes_[lane][from.entry + size_t(--y)].site, 1u << lane});
        else merged_.push_back(steps_[from.step + size_t(--x)]);
    }
    std::reverse(merged_.begin() + ptrdiff_t(begin), merged_.end());
}

size_t WarpLog::reached_by_full_lanes() const {
    uint32_t full = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) full |= uint32_t(is_full(lane)) << lane;
    size_t end = steps_.size();
    for (uint32_t rest = full; rest; rest &= rest - 1) {
        uint32_t lane = rest & (0 - rest);
        size_t last = steps_.size();
        while (last > 0 && !(steps_[last - 1].lanes & lane)) --last;
        end = std::min(end, last);
    }
    return end;
}

}  // namespace simt
