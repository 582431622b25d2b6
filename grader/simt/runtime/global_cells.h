// The cells in which races on device memory are looked for, of the whole arena: 16 bytes for each word, and 16 for each byte of
// words that are accessed in parts. Pages come into being when they are touched.
#pragma once
#include <stdint.h>

#include "race_records.h"

namespace simt {

class GlobalCells {
public:
    bool map();     // false: there is no address space for them
    void unmap();
    GlobalCell* words() const { return words_; }
    GlobalCell* parts() const { return parts_; }
    // The range was freed and its pages given back: its cells give back theirs, which are more.
    void forget(uintptr_t begin, uintptr_t bytes);
    void forget_all();

private:
    GlobalCell *words_ = nullptr, *parts_ = nullptr;
    bool unavailable_ = false;
};

extern GlobalCells global_cells;

}  // namespace simt
