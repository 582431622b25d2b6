#include "bulk_copies.h"

#include <string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bulk_checks.h"
#include "execution.h"
#include "findings.h"
#include "shared_memory.h"

namespace simt {

namespace {
void* pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

// The thread and the moment that make the copy.
void note_origin(BulkCopy& copy) {
    Block& block = *running_block;
    copy.thread = block.current().thread;
    copy.epoch = shared_memory.epoch();
    copy.clock = block.warp_of(copy.thread).clocks.tick();
}

std::vector<uint8_t> content_of(const BulkCopy& copy) {
    std::vector<uint8_t> content(copy.bytes);
    size_t at = 0;
    for (const Strip& strip : copy.strips) {
        if (strip.from) memcpy(&content[at], pointer(strip.from), strip.bytes);
        at += strip.bytes;
    }
    return content;
}

void land_load(BulkCopy& copy) {
    if (is_checked_launch()) {
        note_landing(copy);
        check_source(copy);
    }
    for (const Strip& strip : copy.strips) {
        if (strip.from) memmove(pointer(strip.to), pointer(strip.from), strip.bytes);
        else memset(pointer(strip.to), copy.fill, strip.bytes);
    }
    if (is_checked_launch()) note_arrival(copy);
}

void read_source(BulkCopy& copy) {
    if (std::exchange(copy.is_read, true)) return;
    if (is_checked_launch()) {
        check_source(copy);
        note_reading(copy);
    }
    copy.content = content_of(copy);
}

void land_store(BulkCopy& copy) {
    read_source(copy);
    size_t at = 0;
    for (const Strip& strip : copy.strips) {
        memcpy(pointer(strip.to), &copy.content[at], strip.bytes);
        at += strip.bytes;
    }
}
}  // namespace

void BulkCopies::begin_block() {
    if (!loads_.empty()) loads_.clear();
    if (!stores_.empty()) stores_.clear();
}

void BulkCopies::load(BulkCopy copy, uint64_t* barrier) {
    note_origin(copy);
    if (is_checked_launch()) {
        check_made(copy);
        note_flight(copy);
        if (!is_from_shared(copy)) copy.content = content_of(copy);
    }
    loads_[barrier].push_back(std::move(copy));
}

void BulkCopies::store(BulkCopy copy) {
    note_origin(copy);
    if (is_checked_launch()) check_made(copy);
    Queue& queue = stores_[copy.thread];
    copy.group = queue.group;
    queue.copies.push_back(std::move(copy));
}

void BulkCopies::commit(unsigned thread) {
    auto queue = stores_.find(thread);
    if (queue != stores_.end()) ++queue->second.group;
}

void BulkCopies::wait(unsigned thread, unsigned prior, bool reads_only) {
    auto found = stores_.find(thread);
    if (found == stores_.end()) return;
    Queue& queue = found->second;
    auto is_awaited = [&](const BulkCopy& copy) { return queue.group - copy.group > prior; };
    auto past = std::find_if_not(queue.copies.begin(), queue.copies.end(), is_awaited);
    std::for_each(queue.copies.begin(), past, reads_only ? read_source : land_store);
    if (!reads_only) queue.copies.erase(queue.copies.begin(), past);
}

void BulkCopies::land_rest(unsigned thread) {
    auto found = stores_.find(thread);
    if (found == stores_.end()) return;
    for (BulkCopy& copy : found->second.copies) {
        if (!copy.is_read && is_checked_launch()) report_unread(copy);
        land_store(copy);
    }
    stores_.erase(found);
}

bool BulkCopies::land(const void* barrier) {
    auto found = loads_.find(barrier);
    if (found == loads_.end()) return false;
    std::vector<BulkCopy> copies = std::move(found->second);
    loads_.erase(found);
    uint64_t bytes = 0;
    for (BulkCopy& copy : copies) {
        land_load(copy);
        bytes += copy.bytes;
    }
    running_block->bring_bytes(static_cast<uint64_t*>(const_cast<void*>(barrier)), bytes);
    return true;
}

}  // namespace simt

using namespace simt;

extern "C" {
void simt_bulk_load(void* to, const void* from, unsigned bytes, uint64_t* barrier) {
    const void* here = __builtin_return_address(0);
    check_linear(uintptr_t(to), uintptr_t(from), bytes, here);
    check_target(uintptr_t(to), bytes, WRITE, here);
    check_object(barrier, here);
    if (bytes == 0) return;
    running_block->bulk_copies.load({{{uintptr_t(to), uintptr_t(from), bytes}}, bytes, here}, barrier);
}

void simt_bulk_store(void* to, const void* from, unsigned bytes) {
    const void* here = __builtin_return_address(0);
    check_linear(uintptr_t(to), uintptr_t(from), bytes, here);
    check_target(uintptr_t(from), bytes, READ, here);
    if (bytes == 0) return;
    running_block->bulk_copies.store({{{uintptr_t(to), uintptr_t(from), bytes}}, bytes, here});
}

void simt_bulk_commit(void) { running_block->bulk_copies.commit(running_block->current().thread); }

void simt_bulk_wait(unsigned prior, int reads_only) {
    running_block->bulk_copies.wait(running_block->current().thread, prior, reads_only != 0);
}
}
