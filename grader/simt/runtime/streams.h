// Streams and events on a simulated clock. Work is executed when it is submitted; what is simulated is when it would have run:
// each stream has the time up to which it is busy, the host has its own time, and waiting moves one up to the other.
#pragma once
#include <stdint.h>

namespace simt {

struct Stream {
    int device = 0;
    uint64_t id = 0;
    int priority = 0;
    unsigned flags = 0;
    double busy_until = 0;   // microseconds
};

struct Event {
    unsigned flags = 0;
    int device = 0;
    bool recorded = false;
    double time = 0;
};

// Resolves a handle (null and cudaStreamLegacy: the default stream of the current device). Null when it is no stream.
Stream* find_stream(const void* handle);
Event* find_event(const void* handle);
Stream& default_stream(int device);
double host_time();
// The host spends `us` in an API call.
void pass_host_time(double us);
void host_waits_for(double time);
bool has_happened(double time);   // asking takes time, too: a loop that asks comes to an end
// The time at which everything submitted to the device so far is done.
double device_busy_until(int device);

}  // namespace simt
