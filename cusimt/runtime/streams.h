// Streams and events on a simulated clock. Work is executed when it is submitted; the clock simulates when it would have run:
// each stream has the time until which it is busy, the host has its own time, and waiting advances one to the other. The
// happens-before order is tracked separately (ordering.h): times are a model, and two of them may be in order by chance.
#pragma once
#include <stdint.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ordering.h"

struct CUgraphNode_st;

namespace simt {

struct Capture;

// What there is to wait for.
struct Progress {
    double busy_until = 0;  // microseconds
    Clock clock;            // what the latest work comes after, itself included

    void merge(const Progress& other) {
        busy_until = std::max(busy_until, other.busy_until);
        clock.merge(other.clock);
    }
};

struct Stream : Progress {
    int device = 0;
    uint64_t id = 0;
    int priority = 0;
    unsigned flags = 0;
    uint64_t submitted = 0;             // pieces of work
    std::shared_ptr<Capture> capture;   // see captures.h
    std::vector<CUgraphNode_st*> tail;  // under capture: on what its next node depends

    uint64_t key() const { return id ? id : ~uint64_t(device); }  // in clocks: default streams share the id 0
    Moment latest() const { return {key(), submitted}; }
};

struct Event {
    unsigned flags = 0;
    int device = 0;
    bool recorded = false;
    double time = 0;
    Clock clock;
    std::shared_ptr<Capture> capture;   // in which it was recorded last
    std::vector<CUgraphNode_st*> tail;  // the nodes that it stands for then
};

// A new stream for a branch of a graph: none of the program's, and called so even after the graph is gone.
void* create_branch(int device);
// Resolves a handle (null and cudaStreamLegacy: the default stream of the current device). Null when it is no stream.
Stream* find_stream(const void* handle);
Event* find_event(const void* handle);
Stream& default_stream(int device);
Stream* stream_of_key(uint64_t key);       // null when it was destroyed
std::string name_of_stream(uint64_t key);  // in sentences
double host_time();
// The host spends `us` in an API call.
void pass_host_time(double us);
void host_waits_for(const Stream& stream);
void host_waits_for(const Event& event);
void host_waits_for_device(int device);

// When work would begin that is submitted to the stream now, in microseconds. A handle that is no stream: 0.
double start_of_next(const void* handle);
// Queues work on the stream. A handle that is no stream has no moment.
Submitted advance_stream(void* handle, double duration_us);
// What work would come after that is submitted to the stream now.
Clock clock_of_next(const Stream& stream);
Clock host_clock();
// Whether the stream that was current on the device at simt_watch_streams now waits for the work.
bool is_awaited(const Moment& moment, int device);

}  // namespace simt
