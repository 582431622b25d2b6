#include "proxies.h"

#include "execution.h"
#include "shared_memory.h"

namespace simt {

void ProxyFences::fence(unsigned thread, uint32_t epoch, uint32_t clock) {
    used_ = true;
    of_block_.add({epoch, clock});
    of_thread_[thread].add({epoch, clock});
}

bool ProxyFences::lies_between(const Touch& write, unsigned thread, uint32_t epoch, const LaneClocks& clocks) const {
    if (!used_) return false;
    // With a barrier on either side, that of any thread will do.
    const Fence& of_any = of_block_.latest.epoch < epoch ? of_block_.latest : of_block_.before;
    if (of_any.epoch > write.epoch) return true;
    const Fence& own = of_thread_[thread].latest;
    const bool same_warp = write.thread / kWarpSize == thread / kWarpSize;
    if (own.is_after(write) && (write.epoch < epoch || same_warp)) return true;
    // That of the thread that wrote. The write comes before the copy, so in the write's epoch the fence does, too.
    const Pair& writer = of_thread_[write.thread];
    if (writer.before.is_after(write)) return true;
    if (!writer.latest.is_after(write)) return false;
    if (writer.latest.epoch == write.epoch || writer.latest.epoch < epoch) return true;
    return same_warp && clocks.ordered(write.thread % kWarpSize, writer.latest.clock, thread % kWarpSize);
}

}  // namespace simt

extern "C" void simt_proxy_fence(void) {
    using namespace simt;
    __asm__ __volatile__("" ::: "memory");
    if (!is_checked_launch()) return;
    Block& block = *running_block;
    unsigned thread = block.current().thread;
    block.proxy_fences.fence(thread, shared_memory.epoch(), block.warp_of(thread).clocks.tick());
}
