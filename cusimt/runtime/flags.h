// What the words by which threads signal one another have to tell, since the launch began: who reads such a word learns what
// its writers published. A later write adds to that, although it may replace the value: this may hide a race, and invents none.
#pragma once
#include <stdint.h>

#include <map>
#include <unordered_map>

#include "knowledge.h"

namespace simt {

// What a write publishes, to threads of the same block and to all.
struct Published {
    Shared to_block, to_device;
};

// What all writes of a word published: to the threads of a block what was published to them only.
struct Heard {
    std::map<uint32_t, Shared> to_block;
    Shared to_device;
    void add(uint32_t block, const Published& what) {
        to_device = joined(to_device, what.to_device);
        if (what.to_block && what.to_block != what.to_device) {
            Shared& known = to_block[block];
            known = joined(known, what.to_block);
        }
    }
    Published in(uint32_t block, bool hears_device) const {
        auto own = to_block.find(block);
        return {own == to_block.end() ? nullptr : own->second, hears_device ? to_device : nullptr};
    }
};

struct Flag {
    Heard lax;             // what every write of it published
    Heard strict;          // the same, but for critical sections that did not begin with a fence
    Shared announced;      // accesses that its writers made before, published or not
    uint32_t block = ~0u;  // of its latest writer
    // A word that a CAS changes and whose changer puts the old value back is a lock.
    uint64_t restored = 0;
    bool is_restored = false, is_lock = false;
};

class Flags {
  public:
    void forget() { flags_.clear(); }
    Flag* find(uintptr_t address) {
        if (flags_.empty()) return nullptr;
        auto at = flags_.find(address / 4);
        return at == flags_.end() ? nullptr : &at->second;
    }
    Flag& at(uintptr_t address) { return flags_[address / 4]; }

  private:
    std::unordered_map<uintptr_t, Flag> flags_;  // by word
};

extern Flags flags;

}  // namespace simt
