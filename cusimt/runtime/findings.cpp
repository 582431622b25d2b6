// Collects findings and merges those of one kind at one place; prints them as JSON lines.
#include "findings.h"

#include <pthread.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "callers.h"
#include "execution.h"
#include "global_races.h"
#include "left_file.h"
#include "modules.h"

namespace simt {

namespace {
constexpr size_t kMostFindings = 500;  // distinct ones; a program this wrong needs no more

struct Finding {
    Report what;
    std::string kernel, file;
    CodePlace place, other_place;
    std::vector<uintptr_t> calls;  // offsets in the module of `place`
    uint3 block{}, thread{};
    std::string schedule;  // under which it was made first, if that is not the usual one
    bool on_device = false;
    uint64_t count = 1;
};

std::mutex findings_lock;
std::vector<Finding> findings;
// Same kind at the same place of the same file; without a place, of the same launch site.
using Key = std::tuple<std::string, const void*, std::string, int>;
std::map<Key, size_t> index_of;

const char* access_name(int kind) {
    if (kind & ATOMIC) return "atomic";
    if (kind & WRITE) return "write";
    return kind & READ ? "read" : nullptr;
}

std::string allocation_json(const Finding& finding) {
    if (!finding.what.allocation) return "null";
    const Allocation& allocation = *finding.what.allocation;
    std::string json;
    json += "{\"base\":" + std::to_string(allocation.base) + ",\"bytes\":" + std::to_string(allocation.bytes);
    json += ",\"offset\":" + std::to_string(int64_t(finding.what.address) - int64_t(allocation.base));
    json += ",\"device\":" + std::to_string(allocation.region < kDevices ? allocation.region : allocation.home) + "}";
    return json;
}

std::string other_json(const Finding& finding) {
    if (!finding.what.other) return "null";
    std::string line;
    {
        JsonLine json(line);
        json.integer("pc", finding.other_place.offset).text("access", access_name(finding.what.other->access));
        const Party& other = *finding.what.other;
        if (other.is_block_unknown) json.raw("block", "null");
        else json.triple("block", other.block);
        if (other.is_thread_unknown) json.raw("thread", "null");
        else json.triple("thread", other.thread);
    }
    line.pop_back();  // the line end
    return line;
}

std::string numbers(const std::vector<uintptr_t>& values) {
    std::string json;
    for (uintptr_t each : values) json += (json.empty() ? "" : ",") + std::to_string(each);
    return "[" + json + "]";
}

void write(const Finding& finding, std::string& out) {
    const Report& what = finding.what;
    JsonLine json(out);
    json.text("kind", what.kind).text("access", access_name(what.access)).integer("bytes", what.bytes);
    json.text("kernel", finding.kernel.empty() ? nullptr : finding.kernel.c_str());
    json.text("module", finding.place.path.c_str()).integer("pc", finding.place.offset).integer("address", what.address);
    json.raw("allocation", allocation_json(finding)).text("array", what.array.c_str()).text("space", what.space);
    json.raw("calls", numbers(finding.calls));
    if (finding.on_device) json.triple("block", finding.block).triple("thread", finding.thread);
    else json.raw("block", "null").raw("thread", "null");
    json.raw("other", other_json(finding)).integer("count", finding.count).text("note", what.note.c_str());
    if (what.lanes) json.raw("lanes", numbers({what.lanes->one, what.lanes->other}));
    if (!finding.schedule.empty()) json.text("schedule", finding.schedule.c_str());
    json.text("file", finding.file.c_str()).integer("line", uint64_t(what.line));
}

// For the process that collects. Counts that have risen are written when a launch ends, and at the end of the process.
LeftFile left_file;
bool counts_have_risen = false;
size_t attributed = 0;  // findings of launches that have ended

void forget() {
    findings.clear();
    index_of.clear();
    left_file.remove();
    attributed = 0;
    counts_have_risen = false;
}

std::string all_lines() {
    std::string lines;
    for (const Finding& finding : findings) write(finding, lines);
    return lines;
}

void leave(const Finding& latest) {
    if (!LeftFile::is_wanted()) return;
    std::string line;
    write(latest, line);
    if (!left_file.append(line)) left_file.replace(all_lines());
}

void leave_counts() {
    if (!std::exchange(counts_have_risen, false)) return;
    if (LeftFile::is_wanted()) left_file.replace(all_lines());
}

// An overrun that went most of the way to the next allocation looks like an underrun of that one. It belongs to the one in
// front if the instruction has accessed that: known when the launch ends, in whatever order its threads ran.
void attribute_overruns() {
    for (; attributed < findings.size(); ++attributed) {
        Report& what = findings[attributed].what;
        if (!what.allocation || what.address >= what.allocation->base) continue;
        std::optional<Allocation> front = allocation_below(what.allocation->base);
        if (!front || !global_races.has_touched(what.call_site, *front)) continue;
        what.allocation = front;
        counts_have_risen = true;
    }
}

struct SettleAtExit {
    ~SettleAtExit() {
        std::lock_guard lock(findings_lock);
        leave_counts();
    }
} settle_at_exit;  // after what it writes, so it goes before

// A forked child has found nothing yet. Its parent's lock, which another thread may hold, is taken for the fork.
__attribute__((constructor)) void begin_anew_in_children() {
    pthread_atfork([] { findings_lock.lock(); }, [] { findings_lock.unlock(); },
                   [] {
                       left_file.abandon();
                       forget();
                       findings_lock.unlock();
                   });
}
}  // namespace

std::optional<Lanes> lanes_of(const Party& other, unsigned other_thread, const void* pc) {
    unsigned thread = execution.access.touch.thread;
    if (other.call_site != pc || other_thread / kWarpSize != thread / kWarpSize) return std::nullopt;
    unsigned lane = thread % kWarpSize, other_lane = other_thread % kWarpSize;
    return Lanes{std::min(lane, other_lane), std::max(lane, other_lane)};
}

void report(const Report& what) {
    if (simt_access->on_device) running_block->await_turn();
    std::lock_guard lock(findings_lock);
    bool on_device = what.block || simt_access->on_device;
    const simt_launch* launch = on_device ? execution.launch : nullptr;
    const char* file = what.file ? what.file : launch && launch->file ? launch->file : "";
    int line = what.file ? what.line : launch ? launch->line : 0;
    Key key{what.kind, what.call_site, what.call_site ? "" : file, what.call_site ? 0 : line};
    auto [entry, is_new] = index_of.emplace(key, findings.size());
    if (!is_new) {
        ++findings[entry->second].count;
        counts_have_risen = true;
        return;
    }
    if (findings.size() >= kMostFindings) {
        index_of.erase(entry);
        return;
    }
    Finding& finding = findings.emplace_back();
    finding.what = what;
    finding.what.line = line;
    finding.what.file = nullptr;
    finding.file = file;
    finding.on_device = on_device;
    if (launch && launch->kernel) finding.kernel = launch->kernel;
    if (launch && schedule.name() != "forward") finding.schedule = schedule.name();
    finding.place = place_of(what.call_site);
    if (what.other) finding.other_place = place_of(what.other->call_site);
    if (!what.is_left) {
        for (const void* caller : callers_of(what.call_site)) finding.calls.push_back(place_of(caller).offset);
    }
    if (on_device) {
        finding.block = what.block ? *what.block : running_block->index();
        finding.thread = what.thread ? *what.thread : execution.thread_index[running_block->current().thread];
    }
    leave(finding);
}

bool is_strict() {
    static const char* wanted = getenv("CUSIMT_STRICT");
    return wanted && *wanted == '1';
}

void settle_findings() {
    std::lock_guard lock(findings_lock);
    attribute_overruns();
    leave_counts();
}

void forget_findings() {
    std::lock_guard lock(findings_lock);
    forget();
}

}  // namespace simt

extern "C" const char* simt_take_findings(void) {
    static std::string out;
    std::lock_guard lock(simt::findings_lock);
    out.clear();
    for (const auto& finding : simt::findings) simt::write(finding, out);
    simt::forget();
    return out.c_str();
}
