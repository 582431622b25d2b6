// A run that samples (CUSIMT_SAMPLE_BLOCKS=N) runs N blocks of each launch and skips the others: for profiles and findings of
// programs whose launches are too large to run whole. What such a program computes is not what it would compute.
//
// The first and the last block are among the N; the others are drawn, one from each of as many equal stretches of the grid, so
// that they share no column of it by their distance. Cooperative launches run whole, and so does the rest of a launch in which
// a block waits for another.
#pragma once
#include <stdint.h>

#include <vector>

#include "simt_api.h"

namespace simt {

// The numbers of the blocks to run, ascending; empty: all of the launch's `blocks`.
std::vector<uint64_t> sample_of(const simt_launch& launch, uint64_t blocks);
// A launch has ended of which only `ran` blocks ran.
void report_sampled(uint64_t ran, uint64_t blocks);
// Whether a launch of this process has skipped blocks: memory that they would have written is blank.
bool has_skipped_blocks();
// With which new memory is filled. What was never written must not look right; what a block that was skipped would have
// written is often an index, and 0 is one of most arrays.
uint8_t blank_byte();

}  // namespace simt
