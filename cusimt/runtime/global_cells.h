// The race-detection cells of the whole arena: 16 bytes for each word, and 16 for each byte of words that are accessed in
// parts. The kernel commits their pages on first touch.
#pragma once
#include <stdint.h>

#include "race_records.h"

namespace simt {

struct Epochs {  // from `first` on, up to the one before `end`; none when `first` is 0
    uint32_t first = 0, end = 0;
};

class GlobalCells {
  public:
    bool map();  // false: there is no address space for them
    void unmap();
    GlobalCell* words() const { return words_; }
    GlobalCell* parts() const { return parts_; }
    // Whether the latest access to one of these bytes of the arena (the latest write, if only writes count) was in the epochs.
    bool were_touched(uintptr_t begin, uintptr_t end, const Epochs& epochs, bool writes_only) const;
    // The range was freed and its pages given back: its cells give back theirs, which are more.
    void forget(uintptr_t begin, uintptr_t bytes);
    void clear(uintptr_t begin, uintptr_t bytes);  // the same for a few words, whose pages stay
    void forget_all();

  private:
    GlobalCell *words_ = nullptr, *parts_ = nullptr;
    bool unavailable_ = false;
};

extern GlobalCells global_cells;

}  // namespace simt
