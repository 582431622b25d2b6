// Remembers who reads volatile words, to tell data from flags.
#include "volatile_words.h"

#include <utility>

#include "execution.h"

namespace simt {

VolatileWords volatile_words;

namespace {
constexpr size_t kMostSuspects = 1 << 12;
}

void VolatileWords::forget() {
    first_readers_.clear();
    waited_for_.clear();
    suspects_.clear();
    suspects_of_.clear();
}

void VolatileWords::note(uintptr_t address, const Reader& who, bool reads) {
    if (reads) first_readers_.try_emplace(address, who);
    if (suspects_.empty()) return;
    auto of_word = suspects_of_.find(address);
    if (of_word == suspects_of_.end()) return;
    for (size_t index : of_word->second) {
        Suspect& each = suspects_[index];
        each.is_cleared |= each.other && each.other->block == who.block && each.other->warp == who.warp;
    }
}

const Reader* VolatileWords::first_reader(uintptr_t address) const {
    auto at = first_readers_.find(address);
    return at == first_readers_.end() ? nullptr : &at->second;
}

void VolatileWords::suspect(Report race, std::optional<Reader> other) {
    if (suspects_.size() == kMostSuspects) return;
    if (!race.block) race.block = running_block->index();
    if (!race.thread) race.thread = execution.thread_index[running_block->current().thread];
    race.is_left = true;
    suspects_of_[race.address].push_back(suspects_.size());
    suspects_.push_back({std::move(race), other});
}

void VolatileWords::report_suspects() {
    for (const Suspect& each : std::exchange(suspects_, {})) {
        if (!each.is_cleared && !is_waited_for(each.race.address)) report(each.race);
    }
    suspects_of_.clear();
}

}  // namespace simt
