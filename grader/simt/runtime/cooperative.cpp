#include "cooperative.h"

#include <string.h>

#include <memory>
#include <vector>

#include "device_limits.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "shared_memory.h"

namespace simt {

namespace {
// A block that waits at the grid's barrier, with its shared memory: there is room for one block's at a time. Of the dynamic
// array, which lies anywhere in the range, only the bytes of this launch are kept.
struct Resident {
    Block block;
    bool started = false;
    std::vector<char> before, dynamic, after;
    SharedMemory::Suspended written;

    void keep(std::vector<char>& copy, uintptr_t begin, uintptr_t end) const {
        copy.assign(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end));
    }
    void suspend() {
        shared_memory.end_block();
        written = shared_memory.suspend();
        uintptr_t array = shared_memory.dynamic_begin(), array_end = array + kSharedPerBlockOptin;
        keep(before, shared_memory.begin(), array);
        keep(dynamic, array, array + shared_memory.dynamic_bytes());
        keep(after, array_end, shared_memory.begin() + shared_memory.bytes());
    }
    void resume() const {
        shared_memory.resume(written);
        uintptr_t array = shared_memory.dynamic_begin();
        memcpy(reinterpret_cast<char*>(shared_memory.begin()), before.data(), before.size());
        memcpy(reinterpret_cast<char*>(array), dynamic.data(), dynamic.size());
        memcpy(reinterpret_cast<char*>(array + kSharedPerBlockOptin), after.data(), after.size());
    }
};
}  // namespace

void run_cooperatively(const simt_launch& launch, const Schedule& schedule) {
    uint64_t blocks = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2], alive = blocks;
    unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
    std::vector<std::unique_ptr<Resident>> residents(blocks);
    while (alive > 0) {
        uint64_t waiting = 0;
        global_races.pass_grid_barrier(shared_memory.next_epoch());
        for (uint64_t position = 0; position < blocks; ++position) {
            uint64_t linear = schedule.at(position, blocks, 0);
            auto& resident = residents[linear];
            bool first_round = !resident;
            if (first_round) {
                resident = std::make_unique<Resident>();
                resident->block.begin(block_index(launch, linear), linear, threads, schedule);
                resident->started = true;
            } else if (!resident->started) {
                continue;   // it has finished
            } else {
                resident->resume();
                resident->block.open_grid_barrier();
            }
            BlockState state = resident->block.run();
            if (state == BlockState::dropped) return;
            if (state == BlockState::at_grid_barrier) {
                resident->suspend();
                ++waiting;
            } else {
                resident->started = false;
                --alive;
            }
        }
        if (waiting > 0 && waiting < blocks) {
            report({.kind = "divergent_barrier", .note = "blocks ended before the grid barrier at which others wait",
                    .block = uint3{}, .thread = uint3{}});
        }
    }
}

}  // namespace simt

extern "C" void simt_grid_barrier(void) {
    using namespace simt;
    if (!execution.launch->cooperative) {
        report({.kind = "invalid_launch", .call_site = __builtin_return_address(0),
                .note = "a grid barrier needs a cooperative launch (cudaLaunchCooperativeKernel)"});
        fail_launch(cudaErrorLaunchFailure);
    }
    execution.block->grid_barrier(__builtin_return_address(0));
}
