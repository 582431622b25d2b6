// Sectors and wavefronts of one request, by the rules of cusimt/counters/transactions.py.
#include "requests.h"

#include <algorithm>
#include <bit>

namespace simt {

namespace {
constexpr unsigned kMostWords = kWarpSize * 5;  // 16 bytes that begin within a word

// Do lanes i and i ^ distance, where both are active, ask for the same address?
bool agree(const Request& request, unsigned distance) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        unsigned other = lane ^ distance;
        bool both = request.lanes >> lane & 1 && request.lanes >> other & 1;
        if (both && request.address[lane] != request.address[other]) return false;
    }
    return true;
}

// Lanes that share a pass over the banks.
unsigned lanes_per_phase(const Request& request, Access access) {
    if (request.bytes <= 4) return kWarpSize;
    unsigned lanes = request.bytes <= 8 ? kWarpSize / 2 : kWarpSize / 4;
    bool merged = access == Access::load && (agree(request, 1) || agree(request, 2));
    return merged ? lanes * 2 : lanes;
}

// Does no bank have to serve two words?
bool without_conflict(const uintptr_t* words, unsigned count) {
    uintptr_t word_of[kBanks];
    uint32_t used = 0;
    for (unsigned i = 0; i < count; ++i) {
        auto bank = unsigned(words[i] % kBanks);
        if (used >> bank & 1 && word_of[bank] != words[i]) return false;
        used |= 1u << bank;
        word_of[bank] = words[i];
    }
    return true;
}

// The passes that the words need: as many as the busiest bank has words.
uint32_t passes(uintptr_t* words, unsigned count, bool each_for_itself) {
    if (!each_for_itself) {
        if (without_conflict(words, count)) return 1;
        std::sort(words, words + count);
        count = unsigned(std::unique(words, words + count) - words);
    }
    uint32_t load[kBanks] = {}, most = 0;
    for (unsigned i = 0; i < count; ++i) most = std::max(most, ++load[words[i] % kBanks]);
    return most;
}
}  // namespace

Traffic global_traffic(const Request& request) {
    uintptr_t sorted[kWarpSize];
    unsigned count = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if (request.lanes >> lane & 1) sorted[count++] = request.address[lane];
    }
    if (!std::is_sorted(sorted, sorted + count)) std::sort(sorted, sorted + count);
    Traffic traffic;
    uintptr_t next_sector = 0, end = 0, distinct_bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
        uintptr_t first = std::max(sorted[i] / kSectorBytes, next_sector);
        uintptr_t behind = (sorted[i] + request.bytes - 1) / kSectorBytes + 1;
        if (behind > first) traffic.sectors += uint32_t(behind - first);
        next_sector = std::max(behind, next_sector);
        distinct_bytes += sorted[i] + request.bytes - std::max(sorted[i], end);
        end = sorted[i] + request.bytes;
    }
    traffic.ideal_sectors = uint32_t((distinct_bytes + kSectorBytes - 1) / kSectorBytes);
    return traffic;
}

Traffic shared_traffic(const Request& request, Access access) {
    Traffic traffic;
    unsigned lanes = lanes_per_phase(request, access);
    for (unsigned first = 0; first < kWarpSize; first += lanes) {
        uintptr_t words[kMostWords];
        unsigned count = 0;
        for (unsigned lane = first; lane < first + lanes; ++lane) {
            if (!(request.lanes >> lane & 1)) continue;
            uintptr_t last = (request.address[lane] + request.bytes - 1) / 4;
            for (uintptr_t word = request.address[lane] / 4; word <= last; ++word) words[count++] = word;
        }
        if (count == 0) continue;
        traffic.wavefronts += passes(words, count, access == Access::atomic);
        ++traffic.ideal_wavefronts;
    }
    return traffic;
}

}  // namespace simt
