// Reads the environment.
#include "settings.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

namespace simt {

namespace {
constexpr unsigned long kMostThreads = 1024;

const char* value_of(const char* name) {
    const char* value = getenv(name);
    return value ? value : "";
}

[[noreturn]] void refuse(const char* name, const char* takes) {
    fprintf(stderr, "cusimt: %s=%s means nothing. It takes %s.\n", name, value_of(name), takes);
    _exit(2);
}
}  // namespace

Schedule chosen_schedule() {
    constexpr const char* kName = "CUSIMT_SCHEDULE";
    std::string name = value_of(kName);
    if (name.empty() || name == "forward") return {};
    if (name == "reversed") return {Schedule::reversed, 0};
    const std::string seeded = "seeded:", digits = "0123456789";
    bool has_seed = name.rfind(seeded, 0) == 0 && name.size() > seeded.size();
    if (!has_seed || name.find_first_not_of(digits, seeded.size()) != std::string::npos) {
        refuse(kName, "forward, reversed or seeded:N, where N is a number");
    }
    return {Schedule::seeded, strtoull(name.c_str() + seeded.size(), nullptr, 10)};
}

double chosen_watchdog(double unset) {
    constexpr const char* kName = "CUSIMT_WATCHDOG";
    const char* value = value_of(kName);
    if (!*value) return unset;
    char* end = nullptr;
    double seconds = strtod(value, &end);
    if (*end || !isfinite(seconds) || seconds < 0) refuse(kName, "a number of seconds; 0 is no limit");
    return seconds;
}

uint64_t chosen_sample() {
    constexpr const char* kName = "CUSIMT_SAMPLE_BLOCKS";
    std::string count = value_of(kName);
    if (count.empty()) return 0;
    uint64_t blocks = strtoull(count.c_str(), nullptr, 10);
    if (blocks == 0 || count.find_first_not_of("0123456789") != std::string::npos) refuse(kName, "a number of blocks");
    return blocks;
}

namespace {
// What the process's control group lets it use, in processors; 0: no limit.
unsigned processor_quota() {
    unsigned quota = 0, period = 0;
    FILE* file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (!file) return 0;
    int read = fscanf(file, "%u %u", &quota, &period);  // "max" is no number
    fclose(file);
    return read == 2 && period ? std::max(quota / period, 1u) : 0;
}
}  // namespace

unsigned chosen_threads() {
    constexpr const char* kName = "CUSIMT_THREADS";
    std::string count = value_of(kName);
    if (count.empty()) {
        cpu_set_t allowed;
        unsigned processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? unsigned(CPU_COUNT(&allowed)) : 1;
        unsigned quota = processor_quota();
        return quota ? std::min(processors, quota) : processors;
    }
    unsigned long threads = strtoul(count.c_str(), nullptr, 10);
    if (threads == 0 || threads > kMostThreads || count.find_first_not_of("0123456789") != std::string::npos) {
        refuse(kName, "a number of threads, up to 1024");
    }
    return unsigned(threads);
}

}  // namespace simt
