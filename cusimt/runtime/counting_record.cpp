// What was counted, as JSON lines.
#include <mutex>
#include <utility>

#include "access_state.h"
#include "counting.h"
#include "execution.h"
#include "findings.h"
#include "modules.h"

namespace simt {

namespace {
std::mutex counts_lock;
constexpr size_t kMostBytes = size_t(64) << 20;  // a program that never asks must not fill the memory
std::string counts, taken_counts;

// One JSON object within another: without the line end.
template <typename Write>
std::string object(Write write) {
    std::string text;
    {
        JsonLine json(text);
        write(json);
    }
    text.pop_back();
    return text;
}

std::string addresses_json(const Request& request) {
    std::string list;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        list += lane ? "," : "[";
        list += request.lanes >> lane & 1 ? std::to_string(int64_t(request.address[lane])) : "null";
    }
    return list + "]";
}

std::string calls_json(const std::vector<const void*>& calls) {
    std::string list;
    for (const void* call : calls) list += (list.empty() ? "" : ",") + std::to_string(place_of(call).offset);
    return "[" + list + "]";
}

std::string sample_json(const Tally& tally) {
    return object([&](JsonLine& json) {
        json.raw("addresses", addresses_json(tally.worst.request));
        json.raw("allocation", tally.is_allocation ? std::to_string(tally.base) : "null");
        json.triple("block", tally.worst.block).integer("warp", tally.worst.warp);
    });
}
}  // namespace

std::string Counting::json(const Site& site, const Tally& tally) {
    static const char* const access_names[] = {"load", "store", "atomic"};
    return object([&](JsonLine& json) {
        json.integer("pc", place_of(site.pc).offset).text("space", site.space == Space::shared ? "shared" : "global");
        json.text("access", access_names[int(site.access)]).integer("bytes", site.bytes);
        json.integer("requests", tally.requests).integer("lanes", tally.lanes);
        json.integer("sectors", tally.sectors).integer("wavefronts", tally.wavefronts);
        json.integer("ideal_sectors", tally.ideal_sectors).integer("ideal_wavefronts", tally.ideal_wavefronts);
        json.raw("calls", calls_json(site.calls)).raw("sample", sample_json(tally));
    });
}

void Counting::end_launch(const simt_launch& launch, int device, int error, double time_us) {
    if (!access_) return;
    access_ = nullptr;
    uint64_t read = 0, written = 0;
    for (const auto& [number, page] : pages_) {
        for (uint64_t bits : page.read) read += unsigned(__builtin_popcountll(bits));
        for (uint64_t bits : page.written) written += unsigned(__builtin_popcountll(bits));
    }
    std::string list = "[";
    for (const Site& site : sites_) {
        for (const Tally& tally : site.tallies) (list += list.size() > 1 ? "," : "") += json(site, tally);
    }
    std::lock_guard lock(counts_lock);
    if (counts.size() > kMostBytes) return;
    JsonLine json(counts);
    describe_launch(json, launch, device, error, time_us);
    json.integer("barriers", launch.of_programs ? 0 : barriers_)
        .integer("tensor_multiply_adds", tensor_multiply_adds_)
        .integer("read_sectors", read)
        .integer("written_sectors", written);
    json.raw("sites", list + "]");
}

void forget_counts() {
    std::lock_guard lock(counts_lock);
    counts.clear();
}

}  // namespace simt

extern "C" const char* simt_take_counts(void) {
    using namespace simt;
    std::lock_guard lock(counts_lock);
    taken_counts = std::exchange(counts, {});
    return taken_counts.c_str();
}
