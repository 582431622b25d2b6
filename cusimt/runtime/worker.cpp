// The OS threads that run blocks: what is theirs for a launch.
#include "worker.h"

#include <algorithm>
#include <deque>

#include "arena.h"
#include "block.h"
#include "execution.h"
#include "modules.h"

namespace simt {

Worker::Worker() = default;
Worker::~Worker() = default;

Worker& worker(unsigned number) {
    static std::deque<Worker> all;  // a deque: their addresses stay
    while (all.size() <= number) all.emplace_back();
    return all[number];
}

void enter_launch(Worker& self, const simt_launch& launch) {
    self.shared = shared_range(*launch.module);
    self.dynamic_bytes = launch.dynamic_shared;
    self.cycles = self.progress = 0;
    self.ends = 0;
    std::fill_n(reinterpret_cast<uint8_t*>(self.shared.dynamic_begin), launch.dynamic_shared, kPoison);
    blockDim = {launch.block[0], launch.block[1], launch.block[2]};
    gridDim = {launch.grid[0], launch.grid[1], launch.grid[2]};
}

}  // namespace simt
