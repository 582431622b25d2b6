// The blocks of a launch. They run one after the other, each to its end, unless one must wait: for all others at the grid
// barrier of a cooperative launch, or for a flag that another block will set. Then it is suspended, with its shared memory,
// and others run meanwhile, as on a GPU, where many blocks are resident at once.
//
// Where that pays, several OS threads share the blocks of a launch (crew.h).
#pragma once
#include "schedule.h"
#include "simt_api.h"
#include "vector_types.h"

namespace simt {

// Returns when all blocks have ended, or one was dropped.
void run_grid(const simt_launch& launch, const Schedule& schedule);
uint3 block_index(const simt_launch& launch, uint64_t linear);

}  // namespace simt
