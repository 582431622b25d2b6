// The accesses of the lanes of one warp since they last converged: a list for each lane.
//
// The lists end wherever all lanes of the warp have certainly converged: at a barrier, a collective or the exit. A longer list
// is processed in pieces; a lane whose list is full lets the others catch up first, so memory is bounded.
#pragma once
#include <stdint.h>

#include <vector>

#include "alignment.h"
#include "warp.h"

namespace simt {

class WarpLog {
  public:
    // Empty, with room for the lists of a block of so many threads within kMostBytes.
    void reset(unsigned threads_of_block);
    void append(unsigned lane, uint32_t site, uintptr_t address) {
        sites_[lane].push_back(site);
        addresses_[lane].push_back(address);
    }
    bool is_full(unsigned lane) const { return sites_[lane].size() >= full_; }
    // The lanes of `among` whose lists are not full.
    uint32_t behind(uint32_t among) const;

    // Makes steps of the lists and takes them out; `commit(step, addresses)` gets each step, where addresses[lane] is set for
    // its lanes. `everything`: nothing that is still to come belongs to a step of now. Otherwise full lists go on, and only
    // those steps are taken that the full list which got least far has passed, with what lies before them.
    template <typename Commit>
    void settle(const std::vector<uintptr_t>& place, bool everything, Commit commit) {
        std::vector<Step>& steps = align(place, everything);
        if (!everything) keep_passed(steps);
        size_t taken[kWarpSize] = {};
        uintptr_t addresses[kWarpSize] = {};
        for (const Step& step : steps) {
            for (uint32_t rest = step.lanes; rest; rest &= rest - 1) {
                auto lane = unsigned(__builtin_ctz(rest));
                addresses[lane] = addresses_[lane][taken[lane]++];
            }
            commit(step, addresses);
        }
        take_out(taken);
    }

  private:
    static constexpr size_t kMostBytes = size_t(48) << 20;

    std::vector<Step>& align(const std::vector<uintptr_t>& place, bool complete) const;
    void keep_passed(std::vector<Step>& steps) const;
    void take_out(const size_t (&counts)[kWarpSize]);

    size_t full_ = 0;  // accesses of a lane
    std::vector<uint32_t> sites_[kWarpSize];
    std::vector<uintptr_t> addresses_[kWarpSize];
};

}  // namespace simt
