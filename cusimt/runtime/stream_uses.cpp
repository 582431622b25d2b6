// Finds uses of one block of memory on two streams that nothing orders.
#include "stream_uses.h"

#include <string.h>

#include <algorithm>

#include "arena.h"
#include "findings.h"
#include "streams.h"

namespace simt {

StreamUses stream_uses;

namespace {
constexpr size_t kRounding = 512, kSmallPool = size_t(1) << 20;
constexpr size_t kMostFreed = 256;  // of a stream; a program that never waits must not fill the memory
constexpr size_t kMostUses = 64;    // of a block

size_t rounded(size_t bytes) { return (bytes + kRounding - 1) / kRounding * kRounding; }

// Whether a freed block of `freed` bytes could serve a request of `asked` bytes.
bool fits(size_t asked, size_t freed) { return rounded(asked) <= freed && (asked <= kSmallPool) == (freed <= kSmallPool); }

std::string describe(const std::string& what, uint64_t stream) { return what + " on " + name_of_stream(stream); }
std::string describe(const Use& use) { return describe(use.what, use.when.stream); }

bool conflict(const Use& earlier, const Use& later) {
    if (earlier.is_launch && later.is_launch) return false;  // compared as the later one ran
    if (!earlier.is_launch && !later.is_launch) {
        return (earlier.writes || later.writes) && earlier.bytes.meets(later.bytes);
    }
    const Use &kernel = earlier.is_launch ? earlier : later, &copy = earlier.is_launch ? later : earlier;
    return copy.bytes.any_run([&](uintptr_t begin, uintptr_t end) {
        return global_cells.were_touched(begin, end, kernel.epochs, /*writes_only=*/!copy.writes);
    });
}

// Is what is in conflict with the earlier use in conflict with the later one, too, which comes after it?
bool stands_for(const Use& later, const Use& earlier, const Allocation& block) {
    if (earlier.is_launch && earlier.epochs.first == 0) return true;  // nothing is known to be in conflict with it
    if (later.is_launch) return earlier.is_launch && later.epochs.first == earlier.epochs.first;  // two pointers of one launch
    if (!later.writes && (earlier.writes || earlier.is_launch)) return false;
    return later.bytes.covers(earlier.is_launch ? StridedBytes(block.base, block.bytes) : earlier.bytes);
}

size_t extent(const Use& use) { return use.bytes.end() - use.bytes.begin(); }

void report_unordered(const Use& earlier, const Use& later) {
    const Use& placed = earlier.file ? earlier : later;
    report({.kind = "stream_order",
            .bytes = std::max(extent(earlier), extent(later)),
            .address = later.bytes.begin(),
            .space = "global",
            .allocation = nearest_allocation(later.bytes.begin()),
            .note = describe(later) + " and " + describe(earlier),
            .file = placed.file,
            .line = placed.line});
}

void report_reuse(const Use& earlier, const Use& later, size_t bytes) {
    const Use& placed = earlier.file ? earlier : later;
    report({.kind = "stream_reuse",
            .bytes = bytes,
            .space = "global",
            .note = describe(later) + " uses it, and " + describe(earlier) + " may not be done with it",
            .file = placed.file,
            .line = placed.line});
}

template <class Visit>
void for_each_pointer(const simt_launch& launch, Visit visit) {
    const char* parameters = static_cast<const char*>(launch.closure);
    for (size_t at = 0; at + sizeof(uintptr_t) <= launch.closure_bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, parameters + at, sizeof word);
        if (int region = arena.region(word); region >= 0 && region < kDevices) visit(word);
    }
}

const char* name_of(const simt_launch& launch) { return launch.kernel ? launch.kernel : "a kernel"; }

}  // namespace

void StreamUses::launched(const simt_launch& launch, const Moment& when, const Epochs& epochs) {
    for_each_pointer(launch, [&](uintptr_t pointer) {
        add({.when = when,
             .bytes = {pointer, 1},
             .is_launch = true,
             .epochs = epochs,
             .what = name_of(launch),
             .file = launch.file,
             .line = launch.line});
    });
}

std::vector<LaunchBeside> StreamUses::beside(const simt_launch& launch) {
    const Stream* stream = find_stream(launch.stream);
    if (!stream) return {};
    Clock clock = clock_of_next(*stream);
    std::vector<LaunchBeside> found;
    std::set<uintptr_t> seen;
    std::lock_guard lock(mutex_);
    for_each_pointer(launch, [&](uintptr_t pointer) {
        auto allocation = find_allocation(pointer);
        if (!allocation || !seen.insert(allocation->base).second) return;
        auto block = blocks_.find(allocation->base);
        if (block == blocks_.end()) return;
        for (const Use& use : block->second.uses) {
            if (use.epochs.first == 0 || use.when.stream == stream->key() || clock.covers(use.when)) continue;
            std::string both = describe(name_of(launch), stream->key()) + " and " + describe(use);
            found.push_back({allocation->base, allocation->base + allocation->bytes, use.epochs, std::move(both)});
        }
    });
    return found;
}

void StreamUses::touched(const StridedBytes& bytes, bool writes, const char* call, const Moment& when) {
    int region = arena.region(bytes.begin());
    if (bytes.begin() == bytes.end() || region < 0 || region >= kDevices) return;
    add({.when = when, .bytes = bytes, .writes = writes, .what = call});
}

void StreamUses::forget_epochs() {
    std::lock_guard lock(mutex_);
    for (auto& [base, block] : blocks_) {
        for (Use& use : block.uses) use.epochs = {};
    }
}

void StreamUses::add(Use use) {
    auto allocation = find_allocation(use.bytes.begin());
    Stream* stream = stream_of_key(use.when.stream);
    if (!allocation || !stream) return;
    std::lock_guard lock(mutex_);
    Block& block = blocks_[allocation->base];
    auto is_past = [&](const Use& earlier) { return stream->clock.covers(earlier.when); };
    auto still_running = std::find_if_not(block.inherited.begin(), block.inherited.end(), is_past);
    if (still_running != block.inherited.end()) {
        report_reuse(*still_running, use, block.bytes);
        block.inherited.clear();  // reported once
    }
    std::set<uint64_t> reported;  // of the uses on one stream only the latest
    for (auto earlier = block.uses.rbegin(); earlier != block.uses.rend(); ++earlier) {
        if (is_past(*earlier)) {
            earlier->is_followed = true;
        } else if (!reported.contains(earlier->when.stream) && conflict(*earlier, use)) {
            report_unordered(*earlier, use);
            reported.insert(earlier->when.stream);
        }
    }
    std::erase_if(block.uses, [&](const Use& each) { return is_past(each) && stands_for(use, each, *allocation); });
    keep(block, std::move(use));
}

void StreamUses::keep(Block& block, Use use) {
    if (block.uses.size() == kMostUses) {
        auto followed = std::find_if(block.uses.begin(), block.uses.end(), [](const Use& each) { return each.is_followed; });
        block.uses.erase(followed == block.uses.end() ? block.uses.begin() : followed);
    }
    block.uses.push_back(std::move(use));
}

void StreamUses::allocated(uintptr_t base, size_t bytes, uint64_t owner) {
    std::lock_guard lock(mutex_);
    Block& block = blocks_[base] = {bytes, owner, {}, {}, {}};
    inherit(block);
}

void StreamUses::inherit(Block& block) {
    std::vector<Freed>& freed = freed_[block.owner];
    Clock host = host_clock();
    for (Freed& each : freed) std::erase_if(each.uses, [&](const Use& use) { return host.covers(use.when); });
    std::erase_if(freed, [](const Freed& each) { return each.uses.empty(); });
    auto taken = freed.end();
    for (auto each = freed.begin(); each != freed.end(); ++each) {
        if (fits(block.bytes, each->bytes) && (taken == freed.end() || each->bytes < taken->bytes)) taken = each;
    }
    if (taken == freed.end()) return;
    block.inherited = std::move(taken->uses);
    freed.erase(taken);
}

void StreamUses::recorded(uintptr_t base, uint64_t stream) {
    std::lock_guard lock(mutex_);
    auto block = blocks_.find(base);
    if (block != blocks_.end()) block->second.recorded.insert(stream);
}

void StreamUses::released(uintptr_t base, bool cached) {
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(base);
    if (found == blocks_.end()) return;
    Block block = std::move(found->second);
    blocks_.erase(found);
    if (!cached || block.owner == 0) return;
    // Who waits for a use has waited for what it follows.
    std::erase_if(block.uses, [](const Use& use) { return use.is_followed; });
    block.uses.insert(block.uses.end(), block.inherited.begin(), block.inherited.end());
    std::erase_if(block.uses, [&](const Use& use) { return block.recorded.contains(use.when.stream); });
    if (block.uses.empty()) return;
    std::vector<Freed>& freed = freed_[block.owner];
    freed.push_back({rounded(block.bytes), std::move(block.uses)});
    if (freed.size() > kMostFreed) freed.erase(freed.begin());
}

}  // namespace simt
