// Whether a thread that polls has seen anything new since it last let others run. It may poll several flags, from anywhere in
// its loop, so what counts is not the order of its looks: a look is new if the place was not among those seen, or held
// another value.
#pragma once
#include <stdint.h>
#include <string.h>

namespace simt {

class LookBack {
  public:
    static constexpr unsigned kLooks = 16;  // of a turn, that are remembered

    void forget() { places_ = 0; }
    void note(const void* address, size_t bytes) {
        uint64_t value = 0;
        memcpy(&value, address, bytes < sizeof value ? bytes : sizeof value);
        for (unsigned i = 0; i < places_; ++i) {
            if (seen_[i].address != address) continue;
            has_news_ = has_news_ || seen_[i].value != value;
            seen_[i].value = value;
            return;
        }
        has_news_ = true;
        seen_[places_ < kLooks ? places_++ : next_++ % kLooks] = {address, value};
    }
    // Begins to count anew; whether all of the turn was in vain.
    bool end_round() {
        bool in_vain = !has_news_ && places_ > 0;
        has_news_ = false;
        return in_vain;
    }

  private:
    struct Seen {
        const void* address;
        uint64_t value;
    };
    unsigned places_ = 0, next_ = 0;
    bool has_news_ = false;
    Seen seen_[kLooks];
};

}  // namespace simt
