// The happens-before order of work on streams. The work of one stream runs in order; between streams only events, host waits
// and the legacy default stream make an order. Here all work is executed when it is submitted, but on a GPU unordered work may
// run concurrently. So each stream, each event and the host have a vector clock (Lamport's happened-before, with the clocks of
// Fidge and Mattern).
#pragma once
#include <stdint.h>

#include <algorithm>
#include <map>
#include <vector>

namespace simt {

// A piece of work: the `count`-th of a stream. Count 0 is none, and comes before everything.
struct Moment {
    uint64_t stream = 0, count = 0;
};

class Clock {
  public:
    bool covers(const Moment& moment) const {
        auto found = counts_.find(moment.stream);
        return moment.count == 0 || (found != counts_.end() && found->second >= moment.count);
    }
    void pass(const Moment& moment) {
        uint64_t& count = counts_[moment.stream];
        count = std::max(count, moment.count);
    }
    void merge(const Clock& other) {
        for (auto [stream, count] : other.counts_) pass({stream, count});
    }
    // Of each stream the latest piece of work that this clock covers, where `other` does not.
    std::vector<Moment> beyond(const Clock& other) const {
        std::vector<Moment> moments;
        for (auto [stream, count] : counts_) {
            if (!other.covers({stream, count})) moments.push_back({stream, count});
        }
        return moments;
    }

  private:
    std::map<uint64_t, uint64_t> counts_;  // of each stream, how many pieces of work are done
};

// Work that was submitted. `waits`: for all that the caller had queued on the current stream when simt_watch_streams was
// called. `after`: what has been submitted since then, and comes before this work. Times are simulated microseconds: when the
// host had it queued, and from when to when the stream was busy with it.
struct Submitted {
    Moment moment;
    bool waits = true;
    std::vector<Moment> after{};
    double queued = 0, begin = 0, end = 0;
};

}  // namespace simt
