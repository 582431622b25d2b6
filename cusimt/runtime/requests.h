// The memory transactions of one request: what the active lanes of a warp access with one instruction. The same rules are in
// ../counters/transactions.py, with their sources; a test compares the two.
#pragma once
#include <stdint.h>

#include "warp.h"

namespace simt {

constexpr uintptr_t kSectorBytes = 32;  // the least that moves between L1, L2 and memory
constexpr unsigned kBanks = 32;         // of shared memory, a word of 4 bytes wide

struct Request {
    uintptr_t address[kWarpSize];  // of the active lanes only
    uint32_t lanes = 0;            // one bit per active lane; at least one
    uint32_t bytes = 0;            // per lane
};

struct Traffic {
    uint32_t sectors = 0, wavefronts = 0;              // sectors of global memory, wavefronts of shared memory
    uint32_t ideal_sectors = 0, ideal_wavefronts = 0;  // if the same distinct bytes lay packed; without bank conflicts
};
Traffic global_traffic(const Request& request);
// `address` counts from the beginning of the block's shared memory. Loads of 8 and 16 bytes are merged where lanes agree;
// every lane's update of an atomic needs its bank for itself.
enum class Access { load, store, atomic };
Traffic shared_traffic(const Request& request, Access access);

}  // namespace simt
