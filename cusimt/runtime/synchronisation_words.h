// The words by which threads synchronise, since the launch began: who acquires such a word is ordered after what its writers
// released. A later write adds to that, although it may replace the value: this may hide a race, and invents none.
#pragma once
#include <stdint.h>

#include <map>
#include <memory>
#include <vector>

#include "recent_words.h"
#include "vector_clock.h"

namespace simt {

// What a write releases, to threads of the same block and to all of the device.
struct Released {
    SharedClock to_block, to_device;
    explicit operator bool() const { return to_block || to_device; }
};

// An access in a critical section, but before its first fence: a holder before this one may not have done with the word. So if a
// later holder writes it, the two race, although what happened in this run is in order: the other one may be first.
struct EarlyAccess {
    uintptr_t address;  // of the word
    uint32_t block;
    unsigned warp;
    uint32_t moment;
    bool before_block_fence;
};

// A word that a CAS changes and whose changer puts the old value back is a lock.
struct Lock {
    uint64_t restored = 0;
    bool is_restored = false, is_lock = false;
    std::vector<EarlyAccess> early;  // of the latest holder that made any
};

struct SynchronisationWord {
    SharedClock to_device;
    SharedClock observed;  // accesses that its writers knew of when they wrote it, released or not
    std::unique_ptr<std::map<uint32_t, SharedClock>> to_block;  // what was released to the threads of a block only
    std::unique_ptr<Lock> lock;                                 // there is one if a CAS took it and its holder has written it
    uint32_t block = ~0u;                                       // of its latest writer
    bool is_late = false;  // other words had been forgotten when this one came, and it may be one of them

    bool is_lock() const { return lock && lock->is_lock; }
    void release(uint32_t by_block, const Released& what) {
        if (to_device != what.to_device) to_device = joined(to_device, what.to_device);
        if (!what.to_block || what.to_block == what.to_device) return;
        if (!to_block) to_block = std::make_unique<std::map<uint32_t, SharedClock>>();
        SharedClock& clock = (*to_block)[by_block];
        clock = joined(clock, what.to_block);
    }
    // In the scope of the block or of the device. Block scope includes the threads of the block, whatever the other's scope.
    Released acquire(uint32_t by_block, bool of_device) const {
        Released what;
        if (of_device || block == by_block) what.to_device = to_device;
        if (!to_block) return what;
        auto own = to_block->find(by_block);
        if (own != to_block->end()) what.to_block = own->second;
        return what;
    }
};

class SynchronisationWords {
  public:
    void forget() {
        words_.clear();
        forgotten_ = {};
        latest_forgotten_ = nullptr;
    }
    SynchronisationWord* find(uintptr_t address) { return words_.find(address / 4); }
    SynchronisationWord& at(uintptr_t address) {
        SynchronisationWord& word = words_.at(address / 4, [&](const SynchronisationWord& old) { forget(old); });
        if (word.block == ~0u) word.is_late = words_.has_forgotten();
        return word;
    }
    // Whoever reads a word that may have been forgotten acquires what any forgotten one released.
    Released acquire_forgotten(const SynchronisationWord* word, uint32_t by_block, bool of_device) const {
        if (!words_.has_forgotten() || (word && !word->is_late)) return {};
        return forgotten_.acquire(by_block, of_device);
    }

  private:
    void forget(const SynchronisationWord& old) {
        if (old.to_device != latest_forgotten_) forgotten_.to_device = joined(forgotten_.to_device, old.to_device);
        latest_forgotten_ = old.to_device;
        if (!old.to_block) return;
        for (const auto& [block, clock] : *old.to_block) forgotten_.release(block, {clock, nullptr});
    }

    RecentWords<SynchronisationWord, 1 << 15> words_;
    SynchronisationWord forgotten_;
    SharedClock latest_forgotten_;
};

extern SynchronisationWords synchronisation_words;

}  // namespace simt
