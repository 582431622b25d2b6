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
constexpr size_t kMostFreed = 256;   // of a stream; a program that never waits must not fill the memory

size_t rounded(size_t bytes) { return (bytes + kRounding - 1) / kRounding * kRounding; }

// Could a freed block of `freed` bytes answer a request of `asked`?
bool fits(size_t asked, size_t freed) {
    return rounded(asked) <= freed && (asked <= kSmallPool) == (freed <= kSmallPool);
}

std::string told(const Use& use) { return use.what + " on " + name_of_stream(use.when.stream); }

bool conflict(const Use& earlier, const Use& later) {
    if (earlier.is_launch && later.is_launch) return false;   // the later one's records may hide the earlier one's
    if (!earlier.is_launch && !later.is_launch) {
        return (earlier.writes || later.writes) && earlier.begin < later.end && later.begin < earlier.end;
    }
    const Use &kernel = earlier.is_launch ? earlier : later, &copy = earlier.is_launch ? later : earlier;
    return global_cells.were_touched(copy.begin, copy.end, kernel.epochs, /*writes_only=*/!copy.writes);
}

void report_unordered(const Use& earlier, const Use& later) {
    const Use& placed = earlier.file ? earlier : later;
    report({.kind = "stream_order", .bytes = std::max(earlier.end - earlier.begin, later.end - later.begin),
            .address = later.begin, .space = "global", .allocation = nearest_allocation(later.begin),
            .note = told(later) + " and " + told(earlier), .file = placed.file, .line = placed.line});
}

void report_reuse(const Use& earlier, const Use& later, size_t bytes) {
    const Use& placed = earlier.file ? earlier : later;
    report({.kind = "stream_reuse", .bytes = bytes, .space = "global",
            .note = told(later) + " uses it, and " + told(earlier) + " may not be done with it", .file = placed.file,
            .line = placed.line});
}

}  // namespace

void StreamUses::launched(const simt_launch& launch, const Moment& when, const Epochs& epochs) {
    const char* parameters = static_cast<const char*>(launch.closure);
    for (size_t at = 0; at + sizeof(uintptr_t) <= launch.closure_bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, parameters + at, sizeof word);
        int region = arena.region(word);
        if (region < 0 || region >= kDevices) continue;
        const char* kernel = launch.kernel ? launch.kernel : "a kernel";
        add({when, word, word + 1, true, false, epochs, kernel, launch.file, launch.line});
    }
}

void StreamUses::touched(const void* begin, size_t bytes, bool writes, const char* call, const Moment& when) {
    auto address = reinterpret_cast<uintptr_t>(begin);
    int region = arena.region(address);
    if (bytes == 0 || region < 0 || region >= kDevices) return;
    add({when, address, address + bytes, false, writes, {}, call});
}

void StreamUses::add(Use use) {
    auto allocation = find_allocation(use.begin);
    Stream* stream = stream_of_key(use.when.stream);
    if (!allocation || !stream) return;
    std::lock_guard lock(mutex_);
    Block& block = blocks_[allocation->base];
    // What the new use comes after it stands for: who waits for the one has waited for the other.
    auto is_past = [&](const Use& earlier) { return stream->clock.covers(earlier.when); };
    std::erase_if(block.uses, is_past);
    auto still_running = std::find_if_not(block.inherited.begin(), block.inherited.end(), is_past);
    if (still_running != block.inherited.end()) {
        report_reuse(*still_running, use, block.bytes);
        block.inherited.clear();   // told once
    }
    for (const Use& earlier : block.uses) {
        if (conflict(earlier, use)) report_unordered(earlier, use);
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
    block.uses.insert(block.uses.end(), block.inherited.begin(), block.inherited.end());
    std::erase_if(block.uses, [&](const Use& use) { return block.recorded.contains(use.when.stream); });
    if (block.uses.empty()) return;
    std::vector<Freed>& freed = freed_[block.owner];
    freed.push_back({rounded(block.bytes), std::move(block.uses)});
    if (freed.size() > kMostFreed) freed.erase(freed.begin());
}

}  // namespace simt
