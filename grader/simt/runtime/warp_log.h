// What the lanes of one warp did since they last stood together, and how their accesses become requests of the warp.
//
// The simulator runs one lane after the other; a GPU runs them together. Each lane leaves the list of its accesses, in order.
// The warp's instructions are the shortest list in which every lane finds its own: lanes that did the same did it together,
// lanes in two branches took turns and met behind them, a loop went on for those that stayed in it. Lists are merged one by
// one, each by its shortest edit script, with matches as early as possible.
//
// Lists end wherever all lanes of the warp stand together for certain: barrier, collective, exit. One that grows longer is
// merged in pieces; a lane whose list is full lets the others catch up first, so memory is bounded.
#pragma once
#include <stdint.h>

#include <vector>

#include "warp.h"

namespace simt {

class WarpLog {
public:
    static constexpr size_t kFull = 1024;   // entries of a lane

    struct Step {
        uint32_t site;
        uint32_t lanes;   // one bit for each lane that took it
    };

    void append(unsigned lane, uint32_t site, uintptr_t address) { lanes_[lane].push_back({address, site}); }
    bool is_full(unsigned lane) const { return lanes_[lane].size() >= kFull; }
    bool empty() const;
    void clear();
    // The lanes of `among` whose lists are not full.
    uint32_t behind(uint32_t among) const;

    // Merges the lists and takes them out; `commit(step, addresses)` gets each step, where addresses[lane] is set for its
    // lanes. `everything`: nothing that is still to come belongs to a step of now. Otherwise full lists go on, and what lies
    // behind the last step that all of them have reached stays.
    template <typename Commit>
    void settle(bool everything, Commit commit) {
        merge();
        size_t end = everything ? steps_.size() : reached_by_full_lanes();
        size_t taken[kWarpSize] = {};
        uintptr_t addresses[kWarpSize] = {};
        for (size_t i = 0; i < end; ++i) {
            for (uint32_t rest = steps_[i].lanes; rest; rest &= rest - 1) {
                auto lane = unsigned(__builtin_ctz(rest));
                addresses[lane] = lanes_[lane][taken[lane]++].address;
            }
            commit(steps_[i], addresses);
        }
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            lanes_[lane].erase(lanes_[lane].begin(), lanes_[lane].begin() + ptrdiff_t(taken[lane]));
        }
    }

private:
    struct Entry {
        uintptr_t address;
        uint32_t site;
    };
    struct Point {
        size_t step, entry;
    };

    void merge();
    void add(unsigned lane);
    Point edit(Point from, Point to, unsigned lane);
    void follow(Point from, Point to, unsigned edits, unsigned lane);
    size_t reached_by_full_lanes() const;

    std::vector<Entry> lanes_[kWarpSize];
    static std::vector<Step> steps_, merged_;   // scratch of merge(), kept for their memory
    static std::vector<std::vector<int>> furthest_;
};

}  // namespace simt
