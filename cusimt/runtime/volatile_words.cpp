// Remembers who reads volatile words, to tell data from flags.
#include "volatile_words.h"

#include <utility>

#include "execution.h"

namespace simt {

VolatileWords volatile_words;

namespace {
constexpr size_t kMostSuspects = 256;
}

void VolatileWords::forget() {
    first_readers_.clear();
    suspects_.clear();
}

void VolatileWords::note(uintptr_t address, const Reader& who, bool reads) {
    if (reads) first_readers_.emplace(address, who);
    if (suspects_.empty()) return;
    std::erase_if(suspects_, [&](const Suspect& each) {
        return each.address == address && each.other.block == who.block && each.other.warp == who.warp;
    });
}

const Reader* VolatileWords::first_reader(uintptr_t address) const {
    auto at = first_readers_.find(address);
    return at == first_readers_.end() ? nullptr : &at->second;
}

void VolatileWords::suspect(Report race, uintptr_t address, const Reader& other) {
    if (suspects_.size() == kMostSuspects) return;
    race.block = execution.block->index();
    race.thread = execution.thread_index[execution.block->current().thread];
    race.is_left = true;
    suspects_.push_back({std::move(race), address, other});
}

void VolatileWords::report_suspects() {
    for (const Suspect& each : std::exchange(suspects_, {})) report(each.race);
}

}  // namespace simt
