// The record of launches and API calls, as JSON lines.
#include <mutex>
#include <string>
#include <utility>

#include "api_log.h"
#include "counting.h"
#include "execution.h"
#include "findings.h"

namespace simt {

void forget_errors();

namespace {
std::mutex records_lock;
constexpr size_t kMostBytes = size_t(16) << 20;   // a program that never asks must not fill the memory
std::string launches, api_calls, taken_launches, taken_api_calls;
}  // namespace

void record_launch(const simt_launch& launch, int device, int error, double time_us) {
    std::lock_guard lock(records_lock);
    if (launches.size() > kMostBytes) return;
    JsonLine json(launches);
    describe_launch(json, launch, device, error, time_us);
}

void describe_launch(JsonLine& json, const simt_launch& launch, int device, int error, double time_us) {
    json.text("kernel", launch.kernel).triple("grid", {launch.grid[0], launch.grid[1], launch.grid[2]});
    json.triple("block", {launch.block[0], launch.block[1], launch.block[2]}).integer("shared", launch.dynamic_shared);
    json.integer("stream", simt_stream_id(launch.stream)).integer("device", uint64_t(device));
    json.text("file", launch.file).integer("line", uint64_t(launch.line)).integer("error", uint64_t(error));
    json.number("time_us", time_us);
    if (launch.module) json.text("module", launch.module->path).integer("checked", uint64_t(launch.module->checked));
}

void log_api_call(const ApiCall& call) {
    std::lock_guard lock(records_lock);
    if (api_calls.size() > kMostBytes) return;
    JsonLine json(api_calls);
    json.text("call", call.call).text("kind", call.kind).integer("bytes", call.bytes);
    json.integer("stream", simt_stream_id(const_cast<void*>(call.stream))).integer("error", uint64_t(call.error));
    json.integer("content", call.content).integer("by_kernel", call.by_kernel);
}

// FNV-1a, 64 bits: equal bytes are recognised; nobody is kept from making unequal ones collide.
uint64_t digest(const void* bytes, size_t count, uint64_t before) {
    uint64_t state = before ? before : 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i) state = (state ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3u;
    return state;
}

void forget_records() {
    std::lock_guard lock(records_lock);
    launches.clear();
    api_calls.clear();
}

}  // namespace simt

using namespace simt;

extern "C" {
const char* simt_take_launches(void) {
    std::lock_guard lock(records_lock);
    taken_launches = std::exchange(launches, {});
    return taken_launches.c_str();
}

const char* simt_take_api_calls(void) {
    std::lock_guard lock(records_lock);
    taken_api_calls = std::exchange(api_calls, {});
    return taken_api_calls.c_str();
}

uint64_t simt_digest(const void* bytes, size_t count) { return digest(bytes, count); }

void simt_reset(void) {
    forget_errors();
    forget_findings();
    forget_records();
    forget_counts();
}
}
