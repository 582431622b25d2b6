// Finds host code that touches managed or pinned memory before it has waited for the work that uses it.
#include "host_uses.h"

#include <utility>

#include "access_state.h"
#include "arena.h"
#include "findings.h"
#include "streams.h"

namespace simt {

HostUses host_uses;

void HostUses::launched(const simt_launch& launch, const Moment& when, const Epochs& epochs) {
    if (epochs.first == 0) return;                // what it touched is not known
    if (!launch.file || !launch.file[0]) return;  // a library's function, which may wait before it returns
    add({.when = when, .what = launch.kernel ? launch.kernel : "a kernel", .epochs = epochs});
}

void HostUses::copied(const StridedBytes& bytes, bool writes, const char* call, const Moment& when) {
    if (arena.region(bytes.begin()) == kPinned) add({.when = when, .what = call, .bytes = bytes, .writes = writes});
}

void HostUses::add(Pending work) {
    std::lock_guard lock(mutex_);
    if (pending_.size() == kMost) pending_.pop_front();
    pending_.push_back(std::move(work));
    any_ = true;
}

bool HostUses::conflict(const Pending& work, const StridedBytes& bytes, bool writes) {
    if (work.epochs.first == 0) return (writes || work.writes) && work.bytes.meets(bytes);
    if (arena.region(bytes.begin()) == kPinned) return false;  // which has no cells
    return global_cells.were_touched(bytes.begin(), bytes.end(), work.epochs, /*writes_only=*/!writes);
}

void HostUses::touches(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    if (!any_) return;
    if (kind & (ATOMIC | VOLATILE)) return may_have_waited();
    std::lock_guard lock(mutex_);
    Clock host = host_clock();
    std::erase_if(pending_, [&](const Pending& each) { return host.covers(each.when); });
    any_ = !pending_.empty();
    for (auto each = pending_.rbegin(); each != pending_.rend(); ++each) {
        if (!conflict(*each, {address, bytes}, kind & WRITE)) continue;
        report({.kind = "stream_order",
                .call_site = pc,
                .access = kind & (READ | WRITE),
                .bytes = bytes,
                .address = address,
                .space = arena.region(address) == kPinned ? "pinned" : "managed",
                .allocation = nearest_allocation(address),
                .note = each->what + " on " + name_of_stream(each->when.stream)});
        return;
    }
}

void HostUses::may_have_waited() {
    if (!any_) return;
    std::lock_guard lock(mutex_);
    pending_.clear();
    any_ = false;
}

}  // namespace simt
