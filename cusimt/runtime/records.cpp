// The record of launches and API calls, as JSON lines.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "api_log.h"
#include "counting.h"
#include "execution.h"
#include "findings.h"
#include "streams.h"

namespace simt {

void forget_errors();

namespace {
std::mutex records_lock;
constexpr size_t kMostBytes = size_t(16) << 20;  // a program that never asks must not fill the memory

std::string pair(const Moment& moment) {  // default streams have the numbers -1, -2, ...
    return "[" + std::to_string(int64_t(moment.stream)) + "," + std::to_string(moment.count) + "]";
}

std::string list(const std::vector<Moment>& moments) {
    std::string json = "[";
    for (const Moment& each : moments) json += (json.size() > 1 ? "," : "") + pair(each);
    return json + "]";
}

// Lines about work on streams. Whether the caller's stream waits for it in the end is known when the lines are taken.
class WorkLog {
  public:
    template <class Describe>
    void add(const Submitted& work, int device, Describe describe) {
        if (bytes_ > kMostBytes) return;
        Entry& entry = entries_.emplace_back(Entry{{}, work.moment, device});
        JsonLine json(entry.line);
        describe(json);
        json.integer("waits", work.waits).raw("moment", pair(work.moment)).raw("after", list(work.after));
        json.number("queued_us", work.queued).number("begin_us", work.begin).number("end_us", work.end);
        bytes_ += entry.line.size();
    }

    const char* take() {
        taken_.clear();
        for (Entry& entry : entries_) {
            entry.line.resize(entry.line.size() - 2);  // the brace and the line end
            taken_ += entry.line + (is_awaited(entry.moment, entry.device) ? ",\"awaited\":1}\n" : ",\"awaited\":0}\n");
        }
        forget();
        return taken_.c_str();
    }

    void forget() {
        entries_.clear();
        bytes_ = 0;
    }

  private:
    struct Entry {
        std::string line;
        Moment moment;
        int device;
    };
    std::vector<Entry> entries_;
    size_t bytes_ = 0;
    std::string taken_;
} launches, api_calls;
}  // namespace

void record_launch(const simt_launch& launch, int device, int error, double time_us, const Submitted& work) {
    std::lock_guard lock(records_lock);
    launches.add(work, device, [&](JsonLine& json) { describe_launch(json, launch, device, error, time_us); });
}

void describe_launch(JsonLine& json, const simt_launch& launch, int device, int error, double time_us) {
    json.text("kernel", launch.kernel).triple("grid", {launch.grid[0], launch.grid[1], launch.grid[2]});
    json.triple("block", {launch.block[0], launch.block[1], launch.block[2]}).integer("shared", launch.dynamic_shared);
    json.integer("stream", simt_stream_id(launch.stream)).integer("device", uint64_t(device));
    json.text("file", launch.file).integer("line", uint64_t(launch.line)).integer("error", uint64_t(error));
    json.number("time_us", time_us).integer("blocks_run", execution.blocks_run);
    if (launch.module) json.text("module", launch.module->path).integer("checked", uint64_t(has_checks(launch)));
}

void log_api_call(const ApiCall& call) {
    std::lock_guard lock(records_lock);
    void* stream = const_cast<void*>(call.stream);
    api_calls.add(call.work, std::max(0, simt_stream_device(stream)), [&](JsonLine& json) {
        json.text("call", call.call).text("kind", call.kind).integer("bytes", call.bytes);
        json.integer("stream", simt_stream_id(stream)).integer("error", uint64_t(call.error));
        json.integer("content", call.content).integer("by_kernel", call.by_kernel);
    });
}

// FNV-1a, 64 bits: detects equal bytes, and is not collision-resistant.
uint64_t digest(const void* bytes, size_t count, uint64_t before) {
    uint64_t state = before ? before : 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i) state = (state ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3u;
    return state;
}

void forget_records() {
    std::lock_guard lock(records_lock);
    launches.forget();
    api_calls.forget();
}

}  // namespace simt

using namespace simt;

extern "C" {
const char* simt_take_launches(void) {
    std::lock_guard lock(records_lock);
    return launches.take();
}

const char* simt_take_api_calls(void) {
    std::lock_guard lock(records_lock);
    return api_calls.take();
}

uint64_t simt_digest(const void* bytes, size_t count) { return digest(bytes, count); }

void simt_reset(void) {
    forget_errors();
    forget_findings();
    forget_records();
    forget_counts();
}
}
