// Reconstructs a warp's instructions from those of its lanes.
//
// The simulator runs one lane after the other, a GPU runs them together. Each lane records the list of its instructions, in
// order; the warp's list is one of which every lane's list is a subsequence. An instruction that all its lanes executed
// equally often (except for the last iteration of a loop) is an anchor: its first executions are one instruction of the warp,
// its second executions the next, and so on. Of several candidates the one wins that most lanes have and that comes first in
// the program. The same rule applies between anchors; where there are none, the warp's list is the shortest common one. So
// lanes that did the same did it together, lanes in two branches took turns and reconverged behind them, and a loop continued
// for the lanes that stayed in it.
//
// Iterations in which a lane accesses no memory leave no trace, and neither do outer loops whose accesses are all in an inner
// loop.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "warp.h"

namespace simt {

struct Step {
    uint32_t site;   // the instruction
    uint32_t lanes;  // one bit for each lane that executed it
};

class Alignment {
  public:
    struct List {
        const uint32_t* begin = nullptr;
        const uint32_t* end = nullptr;
        size_t size() const { return size_t(end - begin); }
    };
    using Lists = List[kWarpSize];

    // `place[site]`: where the instruction stands in the program. `complete`: the lists end at one moment. Else instructions
    // that were executed about equally often mark time as far as all lists go. The result stays valid until the next call.
    std::vector<Step>& align(const Lists& lists, const std::vector<uintptr_t>& place, bool complete);

  private:
    struct Reach {
        int step = -1;      // steps passed; -1: no way leads here
        bool own = false;   // the last edit was an entry of the lane's own, not a step of others
        int64_t score = 0;  // matches of the same round
    };
    struct Mark {
        uint32_t site = 0, lanes = 0, times = 0;
    };
    struct Tally {
        uint32_t lanes = 0, least = 0, most = 0, of_lane = 0;
    };

    void merge(const Lists& lists, bool complete, int depth);
    bool merge_equal(const Lists& lists);
    void tally(const Lists& lists);
    Mark find_mark(const Lists& lists, bool complete);
    void merge_between(const Mark& mark, const Lists& lists, bool complete, int depth);
    void add(size_t first_step, const List& list, unsigned lane);
    void number_rounds(const Step* steps, size_t count, std::vector<uint32_t>& rounds);
    bool take_common();
    Reach slide(Reach from, int diagonal) const;
    void edit();
    void follow(int edits, int diagonal);

    std::vector<Step> result_, others_;
    const uintptr_t* place_ = nullptr;
    std::vector<Tally> tallies_;               // by site
    std::vector<uint32_t> touched_;            // sites with a tally
    std::vector<std::vector<Reach>> reaches_;  // [edits][edits + diagonal]
    // of the list that is being added, and of the steps it is added to
    std::vector<Step> own_;
    std::vector<uint32_t> own_rounds_, other_rounds_;
    size_t from_own_ = 0, from_other_ = 0;
};

}  // namespace simt
