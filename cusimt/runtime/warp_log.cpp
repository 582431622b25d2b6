// The log of a warp's accesses between two points at which all lanes meet.
#include "warp_log.h"

#include <algorithm>

namespace simt {

void WarpLog::reset(unsigned threads_of_block) {
    full_ = kMostBytes / (sizeof(uint32_t) + sizeof(uintptr_t)) / threads_of_block;
    for (auto& list : sites_) list.clear();
    for (auto& list : addresses_) list.clear();
}

uint32_t WarpLog::behind(uint32_t among) const {
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (among >> lane & 1 && !is_full(lane)) lanes |= 1u << lane;
    }
    return lanes;
}

std::vector<Step>& WarpLog::align(const std::vector<uintptr_t>& place, bool complete) const {
    static Alignment alignment;  // of one launch at a time
    Alignment::Lists lists;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        lists[lane] = {sites_[lane].data(), sites_[lane].data() + sites_[lane].size()};
    }
    return alignment.align(lists, place, complete);
}

void WarpLog::keep_passed(std::vector<Step>& steps) const {
    size_t end = steps.size();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (!is_full(lane)) continue;
        size_t last = steps.size();
        while (last > 0 && !(steps[last - 1].lanes >> lane & 1)) --last;
        end = std::min(end, last);
    }
    uint32_t needed = end ? steps[end - 1].lanes : 0;  // lanes of later steps: their earlier ones come first
    for (size_t i = end; i-- > 0;) {
        if (steps[i].lanes & needed) needed |= steps[i].lanes;
        else steps[i].lanes = 0;
    }
    steps.resize(end);
    std::erase_if(steps, [](const Step& step) { return step.lanes == 0; });
}

void WarpLog::take_out(const size_t (&counts)[kWarpSize]) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        auto count = ptrdiff_t(counts[lane]);
        sites_[lane].erase(sites_[lane].begin(), sites_[lane].begin() + count);
        addresses_[lane].erase(addresses_[lane].begin(), addresses_[lane].begin() + count);
    }
}

}  // namespace simt
