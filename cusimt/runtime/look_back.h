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
    // Whether it was seen before with that value.
    bool note(const void* address, size_t bytes) {
        uint64_t value = 0;
        memcpy(&value, address, bytes < sizeof value ? bytes : sizeof value);
        for (unsigned i = 0; i < places_; ++i) {
            if (seen_[i].address != address) continue;
            bool is_news = seen_[i].value != value;
            has_news_ = has_news_ || is_news;
            seen_[i].value = value;
            return !is_news;
        }
        has_news_ = true;
        seen_[places_ < kLooks ? places_++ : next_++ % kLooks] = {address, value};
        return false;
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

// The words that a thread has read last by volatile accesses, since its last strong write: what a loop that ends now has waited
// for.
class LatestReads {
  public:
    void forget() { count_ = 0; }
    void note(uintptr_t address) {
        if (count_ > 0 && words_[(count_ - 1) % kMost] == address) return;
        words_[count_++ % kMost] = address;
    }
    template <typename Each>
    void for_each(Each each) const {
        for (unsigned i = 0; i < kMost && i < count_; ++i) each(words_[i]);
    }

  private:
    static constexpr unsigned kMost = 8;  // words in the condition of one loop
    uintptr_t words_[kMost];
    unsigned count_ = 0;
};

}  // namespace simt
