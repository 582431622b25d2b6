// What is remembered of each of the latest words that threads synchronise by, or of the latest pairs of a word and a warp.
// There is no bound on how many a program has, so those that were not changed for long are forgotten. Whoever keeps something
// here decides what that means; it must never invent a race.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <unordered_map>
#include <utility>

namespace simt {

// Two generations of at most `most` each: when the younger one is full, the older one is forgotten.
template <typename Value, size_t most>
class RecentWords {
  public:
    const Value* find(uintptr_t key) const {
        for (const Generation* each : {&young_, &old_}) {
            auto at = each->find(key);
            if (at != each->end()) return &at->second;
        }
        return nullptr;
    }
    Value* find(uintptr_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

    // The value that it has, or a new one; `forget` is called with each value that goes.
    template <typename Forget>
    Value& at(uintptr_t key, Forget forget) {
        auto [young, is_new] = young_.try_emplace(key);
        if (!is_new) return young->second;
        if (young_.size() > most) {
            auto latest = young_.extract(young);
            for (auto& each : old_) forget(each.second);
            has_forgotten_ = has_forgotten_ || !old_.empty();
            old_.swap(young_);
            young_.clear();  // keeps its buckets
            young = young_.insert(std::move(latest)).position;
        }
        auto old = old_.find(key);
        if (old == old_.end()) return young->second;
        young->second = std::move(old->second);
        old_.erase(old);
        return young->second;
    }
    Value& at(uintptr_t key) {
        return at(key, [](Value&) {});
    }
    void erase(uintptr_t key) {
        if (!young_.erase(key)) old_.erase(key);
    }
    bool has_forgotten() const { return has_forgotten_; }
    void clear() {
        if (!young_.empty()) young_.clear();
        if (!old_.empty()) old_.clear();
        has_forgotten_ = false;
    }

  private:
    using Generation = std::unordered_map<uintptr_t, Value>;
    Generation young_, old_;
    bool has_forgotten_ = false;
};

}  // namespace simt
