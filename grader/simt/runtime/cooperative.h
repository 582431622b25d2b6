// A cooperative launch: all blocks are alive at once and meet at the grid's barrier.
#pragma once
#include "schedule.h"
#include "simt_api.h"
#include "vector_types.h"

namespace simt {

void run_cooperatively(const simt_launch& launch, const Schedule& schedule);
uint3 block_index(const simt_launch& launch, uint64_t linear);

}  // namespace simt
