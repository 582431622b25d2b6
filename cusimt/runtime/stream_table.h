// The table of all streams and events, and the host's time. For streams.cpp and events.cpp only.
#pragma once
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "arena.h"
#include "streams.h"

namespace simt {

struct StreamTable {
    Stream defaults[kDevices];
    std::unordered_map<const void*, std::unique_ptr<Stream>> created;
    std::unordered_map<const void*, std::unique_ptr<Event>> events;
    // Of streams that were destroyed: their work goes on, and who waits for all streams waits for it. The second of those for
    // which the default stream waits.
    Progress retired[kDevices], retired_blocking[kDevices];
    uint64_t last_id = 0;
    std::unordered_set<uint64_t> branches;    // keys of streams that belong, or belonged, to graphs
    std::unordered_set<uint64_t> per_thread;  // keys of what cudaStreamPerThread means in some host thread
    double host = 0;                          // microseconds
    Clock host_clock;                         // what the host knows to be done; of all its threads together
};

extern std::recursive_mutex streams_lock;
StreamTable& stream_table();
// When work submitted to the stream now would begin.
double earliest_start(const Stream& stream);
// The host asks whether something has happened. That takes time, too: a loop that asks comes to an end.
bool has_happened(double time, const Clock& clock);

}  // namespace simt
