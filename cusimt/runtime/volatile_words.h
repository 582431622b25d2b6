// Words of global memory with volatile accesses, which are flags or data. By CUDA's memory model any two of them may happen at
// the same time, but only flags are meant to: volatile data without any order are a race in all but name. What a word is shows
// in its use:
//
// - A thread waits for it, so that its value decides when a loop ends, or reads it again and again while nobody writes it: a
//   flag, or a datum that is one as well.
// - Two threads write different values, and nothing orders them: data. (Two that write it by an atomic and by a volatile write
//   after a fence share a flag, or a lock.)
// - A thread reads what another one wrote before it told something else, by a flag, and without a fence in between: data.
// - A thread that holds a lock reads what another one writes without the lock: data.
// - A thread has read it, told so by a flag with a fence, and reads it again; the one that heard the flag writes it: data, if
//   the reader does not look again. One that polls would.
//
// Everything else is taken for a flag.
#pragma once
#include <stdint.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "findings.h"
#include "recent_words.h"

namespace simt {

struct Reader {
    uint32_t block;
    unsigned warp;
    uint32_t moment;
};

class VolatileWords {
  public:
    void forget();
    // A strong access by the running thread.
    void note(uintptr_t address, const Reader& who, bool reads);
    // Who made the first volatile read of the launch there; null: nobody.
    const Reader* first_reader(uintptr_t address) const;
    // A thread waits for the word at that address.
    void note_wait(uintptr_t address) { waited_for_.at(address / 4) = true; }
    bool is_waited_for(uintptr_t address) const { return waited_for_.find(address / 4) || waited_for_.has_forgotten(); }
    // A race, unless a thread waits for the word, or `other` touches it again.
    void suspect(Report race, std::optional<Reader> other = {});
    void report_suspects();

  private:
    struct Suspect {
        Report race;
        std::optional<Reader> other;
        bool is_cleared = false;
    };
    std::unordered_map<uintptr_t, Reader> first_readers_;
    RecentWords<bool, 1 << 15> waited_for_;
    std::vector<Suspect> suspects_;
    std::unordered_map<uintptr_t, std::vector<size_t>> suspects_of_;  // by address
};

extern VolatileWords volatile_words;

}  // namespace simt
