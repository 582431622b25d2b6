// Pending cp.async copies of each thread: queued, grouped, and performed at the wait.
#include "async_copies.h"

#include <string.h>

#include <algorithm>

#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "shared_memory.h"

namespace simt {

namespace {
// Of each byte of shared memory: the copy that is on its way to it. Blocks have numbers, so that records of earlier ones expire
// by themselves.
struct Flight {
    uint32_t block, thread;
    const void* call_site;
};
std::vector<Flight> flights;
uint32_t latest_block;

void note_sources(AsyncCopy& copy) {
    uint32_t taken = copy.bytes - copy.zero_bytes;
    memcpy(copy.before, reinterpret_cast<const void*>(copy.from), taken);
    const AccessState& access = execution.access;
    uintptr_t offset = copy.from - access.arena_begin;
    if (!access.cells || offset >= access.arena_bytes) return;
    for (uint32_t byte = 0; byte + 4 <= taken; byte += 4) copy.writers[byte / 4] = access.cells[(offset + byte) / 4].write;
}

// Somebody wrote to the source since it was noted; `writer`: who, if that is known.
bool source_changed(const AsyncCopy& copy, Record* writer) {
    uint32_t taken = copy.bytes - copy.zero_bytes;
    const AccessState& access = execution.access;
    uintptr_t offset = copy.from - access.arena_begin;
    if (access.cells && offset < access.arena_bytes) {
        for (uint32_t byte = 0; byte + 4 <= taken; byte += 4) {
            Record now = access.cells[(offset + byte) / 4].write;
            // A word whose parts are tracked has no writer of its own: there the values have to tell.
            if (now == copy.writers[byte / 4] || now & kSplit) continue;
            *writer = now;
            return true;
        }
    }
    return memcmp(copy.before, reinterpret_cast<const void*>(copy.from), taken) != 0;
}

void report_changed_source(const AsyncCopy& copy, Record writer) {
    std::optional<Party> other;
    uint3 block = running_block->index();
    if (writer) other = Party{call_site_of(writer, copy.call_site), WRITE, block, execution.thread_index[thread_of(writer)]};
    report({.kind = "copy_source",
            .call_site = copy.call_site,
            .access = READ,
            .bytes = copy.bytes,
            .address = copy.from,
            .space = is_shared(copy.from) ? "shared" : "global",
            .allocation = nearest_allocation(copy.from),
            .other = other,
            .block = block,
            .thread = execution.thread_index[copy.thread]});
}

// The write that an arriving copy is, by the thread that made the copy.
void note_arrival(const AsyncCopy& copy) {
    Block& block = *running_block;
    if (!is_shared(copy.to)) {
        simt_check_range(reinterpret_cast<void*>(copy.to), copy.bytes, WRITE, copy.call_site);
        return;
    }
    unsigned running = block.current().thread;
    shared_memory.enter(copy.thread, block.warp_of(copy.thread).clocks);
    shared_memory.access(copy.to, copy.bytes, WRITE, copy.call_site);
    shared_memory.enter(running, block.warp_of(running).clocks);
}
}  // namespace

void AsyncCopies::begin_block(unsigned threads) {
    threads_ = threads;
    if (is_checked_launch()) serial_ = ++latest_block;
    flying_ = 0;
    if (queues_.empty()) return;
    queues_.clear();
    attached_.clear();
}

void AsyncCopies::issue(AsyncCopy copy) {
    if (queues_.empty()) queues_.resize(threads_);
    Queue& queue = queues_[copy.thread];
    copy.batch = queue.batch;
    if (is_checked_launch()) {
        note_sources(copy);
        if (is_shared(copy.to)) mark(copy.to, copy.bytes, copy.thread, copy.call_site, true);
    }
    queue.copies.push_back(copy);
}

void AsyncCopies::wait(unsigned thread, unsigned prior) {
    if (queues_.empty()) return;
    Queue& queue = queues_[thread];
    while (queue.landed < queue.copies.size()) {
        const AsyncCopy& copy = queue.copies[queue.landed];
        if (queue.batch - copy.batch <= prior) return;
        ++queue.landed;
        land(copy);
    }
    queue.copies.clear();
    queue.landed = 0;
}

void AsyncCopies::attach(unsigned thread, const void* barrier) {
    if (queues_.empty()) return;
    Queue& queue = queues_[thread];
    auto open = std::find_if(queue.copies.begin() + long(queue.landed), queue.copies.end(),
                             [&](const AsyncCopy& copy) { return copy.batch == queue.batch; });
    auto& list = attached_[barrier];
    list.insert(list.end(), open, queue.copies.end());
    queue.copies.erase(open, queue.copies.end());
}

void AsyncCopies::land_attached(const void* barrier) {
    auto found = attached_.find(barrier);
    if (found == attached_.end()) return;
    for (const AsyncCopy& copy : found->second) land(copy);
    attached_.erase(found);
}

// Of a thread that returns: its copies into shared memory are lost.
void AsyncCopies::land_outside(Queue& queue) {
    for (; queue.landed < queue.copies.size(); ++queue.landed) {
        const AsyncCopy& copy = queue.copies[queue.landed];
        if (!is_shared(copy.to)) land(copy);
    }
}

void AsyncCopies::land(const AsyncCopy& copy) {
    bool checked = is_checked_launch();
    if (checked) {
        if (is_shared(copy.to)) mark(copy.to, copy.bytes, copy.thread, copy.call_site, false);
        Record writer = 0;
        if (source_changed(copy, &writer)) report_changed_source(copy, writer);
    }
    uint32_t taken = copy.bytes - copy.zero_bytes;
    memmove(reinterpret_cast<void*>(copy.to), reinterpret_cast<const void*>(copy.from), taken);
    memset(reinterpret_cast<char*>(copy.to) + taken, 0, copy.zero_bytes);
    if (checked) note_arrival(copy);
}

void AsyncCopies::mark(uintptr_t to, uint32_t bytes, uint32_t thread, const void* call_site, bool flies) {
    uintptr_t first = to - shared_memory.begin();
    if (flights.size() < first + bytes) flights.resize(shared_memory.bytes());
    for (uintptr_t byte = first; byte < first + bytes; ++byte) flights[byte] = {flies ? serial_ : 0, thread, call_site};
    flying_ += flies ? 1 : -1u;
    if (flies) shared_memory.forget_near();  // hooks would let an access to the array pass
}

bool AsyncCopies::meets(uintptr_t address, uintptr_t bytes, int kind, const void* pc) const {
    uintptr_t first = address - shared_memory.begin(), end = std::min(first + bytes, uintptr_t(flights.size()));
    for (uintptr_t byte = first; byte < end; ++byte) {
        const Flight& flight = flights[byte];
        if (flight.block != serial_) continue;
        uint3 block = running_block->index();
        report({.kind = "copy_in_flight",
                .call_site = pc,
                .access = kind,
                .bytes = bytes,
                .address = address,
                .space = "shared",
                .other = Party{flight.call_site, WRITE, block, execution.thread_index[flight.thread]}});
        return true;
    }
    return false;
}

}  // namespace simt

using namespace simt;

extern "C" {
void simt_async_copy(void* to, const void* from, unsigned bytes, unsigned zero_bytes) {
    const void* here = __builtin_return_address(0);
    AsyncCopy copy{uintptr_t(to), uintptr_t(from), bytes, zero_bytes, here, running_block->current().thread};
    Block& block = *running_block;
    if (is_checked_launch()) {
        bool uneven_source = copy.from % bytes != 0, uneven_target = copy.to % bytes != 0;
        if (uneven_source && arena.region(copy.from) == execution.device) {
            simt_check_global(copy.from, bytes, READ, true, here);
        }
        if (bytes > zero_bytes) simt_check_range(from, bytes - zero_bytes, READ, here);
        if (is_shared(copy.to)) simt_check_range(to, bytes, uneven_target ? WRITE | MISALIGNED : WRITE, here);
    }
    block.copies.issue(copy);
}

void simt_async_commit(void) { running_block->copies.commit(running_block->current().thread); }

void simt_async_wait(unsigned prior) { running_block->copies.wait(running_block->current().thread, prior); }

void simt_async_attach(const void* barrier) { running_block->copies.attach(running_block->current().thread, barrier); }
}
