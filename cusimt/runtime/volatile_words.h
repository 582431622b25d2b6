// Words of global memory with volatile accesses, which are flags or data. By CUDA's memory model any two of them may happen at
// the same time, but only flags are meant to: volatile data without any order are a race in all but name. What a word is shows
// in its use:
//
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

#include <unordered_map>
#include <vector>

#include "findings.h"

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
    // A race, unless `other` touches the word again.
    void suspect(Report race, uintptr_t address, const Reader& other);
    void report_suspects();

  private:
    struct Suspect {
        Report race;
        uintptr_t address;
        Reader other;
    };
    std::unordered_map<uintptr_t, Reader> first_readers_;
    std::vector<Suspect> suspects_;
};

extern VolatileWords volatile_words;

}  // namespace simt
