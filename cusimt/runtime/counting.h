// Counts what Nsight Compute counts: requests, sectors and wavefronts, per instruction and allocation.
//
// While a launch is counted, the ranges of the access state are empty, so that no access takes the fast path of its hook. The
// slow path counts the access, restores the ranges, checks it as usual and empties them again. A launch that is not counted
// pays nothing.
//
// A request is what the lanes of a warp access together with one instruction (return address, kind and size); alignment.h
// defines which lanes are together. Global memory is the arena, __device__ variables and registered host memory. Stacks,
// parameters and constants are not counted. A memcpy of a size for which a GPU has no instruction counts in the largest pieces
// for which it has one.
#pragma once
#include <stdint.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "requests.h"
#include "simt_api.h"
#include "vector_types.h"
#include "warp_log.h"

namespace simt {

struct AccessState;

// The request that strayed furthest from its ideal.
struct WorstRequest {
    Request request;
    uint3 block{};
    unsigned warp = 0;
    int64_t excess = -1;
};

// What one instruction did to one allocation (global memory), or to shared memory.
struct Tally {
    uintptr_t base = 0, end = 0;  // what addresses are counted from, and where that memory ends
    bool is_allocation = false;   // else a section of variables, or shared memory
    uint64_t requests = 0, lanes = 0;
    uint64_t sectors = 0, wavefronts = 0, ideal_sectors = 0, ideal_wavefronts = 0;
    WorstRequest worst;
};

class Counting {
  public:
    void begin_launch(const simt_launch& launch, AccessState& access);
    void end_launch(const simt_launch& launch, int device, int error, double time_us);

    // ---- on a fiber ----
    void note(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
    // After an access: a lane that is far ahead lets the others of its warp catch up.
    void pace(const void* pc);
    // The ranges of the access state, there or hidden.
    void show_ranges(bool there);

    // ---- lanes stand together ----
    void pass_barrier(const std::vector<Fiber*>& threads);
    void meet(unsigned warp, uint32_t lanes, uint32_t live);
    void multiply(uint64_t multiply_adds) { tensor_multiply_adds_ += multiply_adds; }
    void end_block();  // or all of it waits for other blocks

  private:
    enum class Space : uint8_t { none, global, shared };
    struct Site {
        const void* pc = nullptr;
        Space space = Space::none;
        Access access = Access::load;
        uint8_t bytes = 0;
        std::vector<const void*> calls{};  // that led there first, up to the kernel
        std::vector<Tally> tallies{};
    };
    struct Page {  // 4096 bytes of global memory: which sectors were read and written
        uint64_t read[2] = {}, written[2] = {};
    };

    struct RecentSite {
        uint64_t key = 0;
        uint32_t site = 0;
    };
    static constexpr size_t kRecentSites = 256;

    static Space space_of(uintptr_t address, uintptr_t bytes);
    uint32_t site_of(const Site& wanted);
    void append(uintptr_t address, uintptr_t bytes, Space space, Access access, const void* pc);
    void settle(unsigned warp, bool everything);
    void count(unsigned warp, Site& site, Request& request);
    static Tally& tally_of(Site& site, uintptr_t address);
    Page& page_of(uintptr_t number);
    void touch_sectors(const Request& request, Access access);
    static std::string json(const Site& site, const Tally& tally);

    AccessState* access_ = nullptr;  // of a launch that is counted
    uintptr_t arena_bytes_ = 0, shared_bytes_ = 0;
    std::vector<Site> sites_;
    std::vector<uintptr_t> places_;  // of the sites, in the program
    std::unordered_map<uint64_t, uint32_t> site_index_;
    RecentSite recent_sites_[kRecentSites];
    std::vector<WarpLog> logs_;  // of the block that runs
    std::unordered_map<uintptr_t, Page> pages_;
    Page* latest_page_ = nullptr;
    uintptr_t latest_page_number_ = 0;
    uint64_t barriers_ = 0, tensor_multiply_adds_ = 0;
};

extern Counting counting;
void forget_counts();

}  // namespace simt
