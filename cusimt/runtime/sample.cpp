// Chooses the blocks of a launch that a sampling run runs.
#include "sample.h"

#include <stdio.h>

#include <string>
#include <utility>

#include "arena.h"
#include "findings.h"
#include "schedule.h"
#include "settings.h"

namespace simt {

namespace {
const uint64_t sample = chosen_sample();
bool skipped = false;
}  // namespace

uint8_t blank_byte() { return sample ? 0 : kPoison; }
bool has_skipped_blocks() { return skipped; }

std::vector<uint64_t> sample_of(const simt_launch& launch, uint64_t blocks) {
    if (sample == 0 || launch.cooperative || blocks <= sample) return {};
    std::vector<uint64_t> chosen{0};
    const uint64_t inner = blocks - 2;
    for (uint64_t stretch = 0; stretch + 2 < sample; ++stretch) {
        uint64_t first = inner * stretch / (sample - 2), end = inner * (stretch + 1) / (sample - 2);
        chosen.push_back(1 + first + mixed(blocks ^ stretch) % (end - first));
    }
    if (sample > 1) chosen.push_back(blocks - 1);
    return chosen;
}

void report_sampled(uint64_t ran, uint64_t blocks) {
    if (!std::exchange(skipped, true)) {
        fputs("cusimt: a sampled run: blocks are skipped, so what this program computes and prints is not its result.\n",
              stderr);
    }
    std::string note = std::to_string(ran) + " of " + std::to_string(blocks) + " blocks";
    report({.kind = "sampled_launch", .note = note, .block = uint3{}, .thread = uint3{}});
}

}  // namespace simt
