// The asynchronous proxy: bulk copies reach shared memory by another way than loads and stores. What a thread has written there
// with ordinary stores, a bulk copy is sure to read only if a fence.proxy.async lies between the two in the order that barriers
// make: after the store and before the copy, executed by any thread.
#pragma once
#include <stdint.h>

#include "race_records.h"
#include "warp.h"

namespace simt {

class ProxyFences {
  public:
    void begin_block() {
        if (used_) *this = {};
    }
    // `clock`: of the thread's warp; what it does later has higher ones.
    void fence(unsigned thread, uint32_t epoch, uint32_t clock);
    // Does a fence lie between an ordinary write, which is ordered before it, and a copy that `thread` makes now?
    bool lies_between(const Touch& write, unsigned thread, uint32_t epoch, const LaneClocks& clocks) const;

  private:
    struct Fence {
        uint32_t epoch = 0, clock = 0;  // epoch 0: none
        bool is_after(const Touch& write) const {
            return epoch > write.epoch || (epoch == write.epoch && clock >= write.clock);
        }
    };
    // Of one thread, or of the block: the latest, and the latest of an earlier epoch.
    struct Pair {
        Fence latest, before;
        void add(Fence fence) {
            if (latest.epoch != fence.epoch) before = latest;
            latest = fence;
        }
    };
    bool used_ = false;
    Pair of_block_, of_thread_[1024];
};

}  // namespace simt
