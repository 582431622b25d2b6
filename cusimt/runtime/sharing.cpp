// Decides over workers by what the first blocks of a launch took.
#include "sharing.h"

#include <stdlib.h>
#include <time.h>

#include <algorithm>

#include "execution.h"
#include "settings.h"

namespace simt {

namespace {
const unsigned most_workers = chosen_threads();
constexpr int64_t kStart = 100'000;   // of work that each worker should have, in nanoseconds; starting one takes a third of it
constexpr int64_t kShare = 50'000;    // of work that a worker takes at a time
constexpr int64_t kHandOver = 5'000;  // of a turn, to an OS thread that waits for it

bool collects_findings() {
    const char* folder = getenv("CUSIMT_FINDINGS");
    return folder && *folder;
}
}  // namespace

bool may_share(const simt_launch& launch, const Schedule& schedule) {
#ifdef CUSIMT_UCONTEXT
    return false;  // nothing leaves a block from a signal
#endif
    return most_workers > 1 && !launch.module->checked && !launch.cooperative && !launch.of_programs && schedule.is_forward() &&
           !execution.access.counted && !collects_findings();
}

int64_t nanoseconds() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

unsigned Sharing::helpers(uint64_t ran) {
    due_ *= 2;
    int64_t ended = nanoseconds(), each = std::max<int64_t>((ended - began_) / int64_t(ran), 1);
    int64_t left = each * int64_t(blocks_ - ran);
    int64_t whole = ended - sample_began_, in_turn = effect_ ? ended - effect_ + kHandOver : 0;
    if (in_turn * 4 > whole * 3) return 0;
    int64_t worth = std::max<int64_t>(std::min({int64_t(most_workers), left / kStart, int64_t(blocks_ - ran)}), 1);
    // Where blocks have effects, a worker that takes several makes all others wait for them.
    share_ = effect_ ? 1 : uint64_t(std::clamp<int64_t>(kShare / each, 1, int64_t(blocks_ - ran) / (4 * worth) + 1));
    return unsigned(worth) - 1;
}

}  // namespace simt
