// Two unordered writes are a race, unless both wrote the same value: many threads that set one flag do no harm
// (compute-sanitizer's racecheck calls that a hazard of level "info", which it does not print). Hooks run before the write, so
// whether the write changed the value is decided as soon as another thread is about to run.
#pragma once
#include <stdint.h>

#include <vector>

#include "findings.h"

namespace simt {

class UnsettledWrites {
  public:
    // `what` is about to overwrite another thread's value at [begin, begin + bytes). A suspect is for volatile_words to judge.
    void add(Report what, uintptr_t begin, uintptr_t bytes, bool is_suspect = false);
    void settle() {
        if (!writes_.empty()) settle_all();
    }

  private:
    struct Write {
        Report what;
        uintptr_t begin;
        std::vector<uint8_t> before;
        bool is_suspect;
    };
    void settle_all();
    std::vector<Write> writes_;  // of the running thread
};

extern UnsettledWrites unsettled_writes;

}  // namespace simt
