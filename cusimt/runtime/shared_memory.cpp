// Race detection, initialisation and bounds of shared memory: checks each access against the shadow of its words.
#include "shared_memory.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "arena.h"
#include "device_limits.h"
#include "execution.h"
#include "findings.h"
#include "global_races.h"
#include "modules.h"
#include "unsettled.h"

namespace simt {

SharedMemory shared_memory;

static constexpr size_t kMostEarlyReads = 1 << 14;  // of one block between two barriers

void SharedMemory::begin_launch(simt_module& module, size_t dynamic_bytes, bool checked) {
    ThreadBlockMemory range = shared_range(module);
    begin_ = range.begin;
    bytes_ = range.bytes;
    dynamic_begin_ = range.dynamic_begin;
    dynamic_bytes_ = dynamic_bytes;
    load_address_ = module.load_address;
    if (!checked) return;
    arrays_ = &shared_arrays(module);
    for (const SharedArray* array : std::exchange(touched_, {})) array->is_touched = false;
    touched_bytes_ = 0;
    reserve_cells(bytes_);
    AccessState& access = execution.access;
    access.shared_cells = words_;
    access.shared_parts = parts_;
    access.load_address = load_address_;
    forget_near();
}

// Old records expire because their numbers are smaller, so when numbers run out the records go, too.
bool SharedMemory::restart_epochs() {
    if (latest_epoch_ < kMostEpochs && latest_serial_ < ~0u / 2) return false;
    latest_epoch_ = epoch_ = moment_ = latest_serial_ = serial_ = 0;
    if (words_) {
        madvise(words_, (cell_bytes_ / 4 + 1) * sizeof(SharedCell), MADV_DONTNEED);
        madvise(parts_, cell_bytes_ * sizeof(SharedCell), MADV_DONTNEED);
    }
    return true;
}

void SharedMemory::begin_block() {
    early_reads_.clear();
    serial_ = execution.access.block_serial = ++latest_serial_;
    epoch_ = moment_ = execution.access.barrier_epoch = ++latest_epoch_;
}

void SharedMemory::pass_barrier() {
    settle_reads();
    epoch_ = moment_ = execution.access.barrier_epoch = ++latest_epoch_;
    if (execution.access.cells) global_races.note_epoch(epoch_);
    running_block->order.pass_barrier();
}

// Numbers that run out within a launch let moments grow longer, which may hide a race.
void SharedMemory::begin_moment() {
    if (!execution.access.cells || latest_epoch_ > kLastEpoch) return;
    moment_ = ++latest_epoch_;
    global_races.note_epoch(moment_);
    show_identity();
}

// Taking turns, and at the beginning of a critical section, no access may pass unseen: see global_races and release_order.
void SharedMemory::show_identity() {
    AccessState& access = execution.access;
    bool passes = access.launch_epoch && !running_block->order.is_watching(access.touch.thread / kWarpSize);
    access.identity = passes ? identity_of(moment_, access.touch.thread) : ~Record(0);
}

void SharedMemory::enter(unsigned thread, const LaneClocks& clocks) {
    clocks_ = &clocks;
    AccessState& access = execution.access;
    access.touch.epoch = epoch_;
    access.touch.thread = uint16_t(thread);
    access.clock = &clocks.now;
    show_identity();
}

void SharedMemory::forget_near() {
    for (auto& range : execution.access.near) range = {0, 0};
}

bool SharedMemory::is_within_array(uintptr_t address, uintptr_t bytes) {
    uintptr_t offset = address - begin_, dynamic = dynamic_begin_ - begin_;
    uintptr_t begin = 0, size = bytes_;  // of a file of whose arrays nothing is known
    if (offset - dynamic < kSharedPerBlockOptin) {
        begin = dynamic, size = dynamic_bytes_;
    } else if (const SharedArray* array = nearest_array(*arrays_, offset)) {
        if (array->is_of_host) return false;
        begin = array->begin, size = array->bytes;
        if (!std::exchange(array->is_touched, true)) note_touched(*array);
    }
    if (offset - begin >= size || size - (offset - begin) < bytes) return false;
    auto& near = execution.access.near;
    if (running_block->copies.in_flight()) return true;
    near[1] = near[0];
    near[0] = {begin_ + begin, size};
    return true;
}

// Functions that a kernel calls may have arrays of their own; whose they are shows when they are used.
void SharedMemory::note_touched(const SharedArray& array) {
    touched_.push_back(&array);
    touched_bytes_ += array.bytes;
    if (touched_bytes_ > kSharedPerBlock) refuse_static_shared(touched_bytes_);
}

void SharedMemory::wipe() {
    for (const SharedArray* array : touched_) memset(reinterpret_cast<char*>(begin_ + array->begin), kPoison, array->bytes);
    memset(reinterpret_cast<char*>(dynamic_begin_), kPoison, dynamic_bytes_);
}

SharedArray SharedMemory::array_at(uintptr_t address) const {
    uintptr_t offset = address - begin_, dynamic = dynamic_begin_ - begin_;
    if (offset - dynamic < kSharedPerBlockOptin) return {dynamic, dynamic_bytes_, ""};
    const SharedArray* array = nearest_array(*arrays_, offset);
    return array ? *array : SharedArray{0, bytes_, ""};
}

Allocation SharedMemory::memory_of(const SharedArray& array) const {
    Allocation memory;
    memory.base = begin_ + array.begin;
    memory.bytes = array.bytes;
    memory.region = execution.device;
    return memory;
}

// ---- accesses -------------------------------------------------------------------------------------------------------------

// Whether another thread wrote it, after all. Atomics do not race with one another, so their first value counts as unwritten.
bool SharedMemory::is_reported_as_race(const EarlyRead& early) const {
    const Touch& last = early.cell->write;
    if (early.cell->written_by_block != serial_) return false;
    return early.read.kind & ATOMIC ? !(last.kind & ATOMIC) : last.thread != early.read.thread;
}

void SharedMemory::settle_reads() {
    uint64_t reported = 0;  // of an access to several words, or bytes, the first
    for (const EarlyRead& early : early_reads_) {
        if (early.read.kind & SPARE || early.access == reported || is_reported_as_race(early)) continue;
        reported = early.access;
        report({.kind = "uninitialized_read",
                .call_site = reinterpret_cast<const void*>(load_address_ + early.read.call_site),
                .access = early.read.kind,
                .bytes = early.bytes,
                .address = early.address,
                .space = "shared",
                .block = running_block->index(),
                .thread = execution.thread_index[early.read.thread]});
    }
    early_reads_.clear();
}

bool SharedMemory::is_blank(uintptr_t address, uintptr_t bytes) const {
    const uintptr_t first = (address - begin_) / 4, words = bytes / 4;
    if (address - begin_ >= bytes_ || bytes > bytes_ - (address - begin_)) return false;
    for (uintptr_t word = first; word < first + words; ++word)
        if (written_bytes(word)) return false;
    return true;
}

void SharedMemory::reserve_cells(uintptr_t bytes) {
    if (bytes <= cell_bytes_) return;
    auto map = [](size_t count) {
        void* cells = mmap(nullptr, count * sizeof(SharedCell), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (cells == MAP_FAILED) throw std::bad_alloc();
        return static_cast<SharedCell*>(cells);  // zero: epoch 0 and block 0 never occur
    };
    if (words_) {
        munmap(words_, (cell_bytes_ / 4 + 1) * sizeof(SharedCell));
        munmap(parts_, (cell_bytes_ + 4) * sizeof(SharedCell));
    }
    words_ = map(bytes / 4 + 1);
    parts_ = map(bytes + 4);
    cell_bytes_ = bytes;
}

void SharedMemory::access(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    // Words are counted from the start of the range, which the linker aligned for the most demanding variable in it.
    uintptr_t first = address - begin_, end = std::min(first + bytes, bytes_);
    is_reported_ = false;
    ++accesses_;
    for (uintptr_t word = first / 4; word * 4 < end; ++word) {
        SharedCell& cell = words_[word];
        uintptr_t from = std::max(first, word * 4), to = std::min(end, word * 4 + 4);
        if (to - from == 4 && cell.split_by_block != serial_) {
            touch(cell, address, bytes, kind, pc);
            continue;
        }
        if (cell.split_by_block != serial_) split(word);
        for (uintptr_t byte = from; byte < to; ++byte) touch(parts_[byte], address, bytes, kind, pc);
    }
}

void SharedMemory::split(uintptr_t word) {
    for (uintptr_t byte = word * 4; byte < std::min(word * 4 + 4, bytes_); ++byte) parts_[byte] = words_[word];
    words_[word].split_by_block = serial_;
}

void SharedMemory::touch(SharedCell& cell, uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    Touch now = execution.access.touch;
    now.kind = uint16_t(kind);
    now.clock = clocks_->now;
    now.call_site = uint32_t(reinterpret_cast<uintptr_t>(pc) - load_address_);
    if (is_strict()) report_guess(cell, address, bytes, kind, pc);
    const Touch* earlier = is_reported_ ? nullptr : racing(cell, kind);
    if (earlier) report_race(*earlier, address, bytes, kind, pc);
    is_reported_ = is_reported_ || earlier;
    if (kind & READ && cell.written_by_block != serial_ && early_reads_.size() < kMostEarlyReads) {
        early_reads_.push_back({&cell, now, address, bytes, accesses_});
    }
    if (kind & WRITE) {
        cell.write = now;
        cell.written_by_block = serial_;
    } else {
        remember_read(cell, now);
    }
}

// The earlier access with which one of this kind races, if any. A read first: a write may turn out to be of the same value.
const Touch* SharedMemory::racing(const SharedCell& cell, int kind) const {
    if (kind & WRITE && races(cell.read, kind)) return &cell.read;
    if (kind & WRITE && races(cell.other_read, kind)) return &cell.other_read;
    return races(cell.write, kind) ? &cell.write : nullptr;
}

namespace {
// May both happen to one word of shared memory at the same time, by what they are? Two strong accesses may where one is an atomic
// or a flag's write after a fence: a volatile write alone says nothing about order.
bool compatible_in_shared(int earlier, int later) {
    if (earlier & later & ATOMIC) return true;
    int write = later & WRITE ? later : earlier, other = later & WRITE ? earlier : later;
    if (write & SELECTING && !(other & WRITE)) return true;  // a guess that the atomic verifies
    if (!(earlier & kStrong) || !(later & kStrong)) return false;
    return (earlier | later) & ATOMIC || (earlier & WRITE ? earlier : later) & RELEASED;
}
}  // namespace

bool SharedMemory::races(const Touch& earlier, int kind) const {
    unsigned thread = execution.access.touch.thread;
    if (earlier.epoch != epoch_ || earlier.thread == thread || compatible_in_shared(earlier.kind, kind)) return false;
    if (running_block->signals.orders(earlier.thread, earlier.clock, thread, epoch_)) return false;
    if (earlier.thread / kWarpSize != thread / kWarpSize) return true;
    return !clocks_->ordered(earlier.thread % kWarpSize, earlier.clock, thread % kWarpSize);
}

// A plain read beside an atomic that compares, or the other way round: SELECTING is what lets them pass otherwise.
void SharedMemory::report_guess(const SharedCell& cell, uintptr_t address, uintptr_t bytes, int kind, const void* pc) const {
    for (const Touch* earlier : {&cell.read, &cell.other_read, &cell.write}) {
        Touch strict = *earlier;
        bool is_guess = (kind & SELECTING && earlier != &cell.write && !(strict.kind & kStrong)) ||
                        (strict.kind & SELECTING && earlier == &cell.write && kind == READ);
        strict.kind &= uint16_t(~SELECTING);
        if (!is_guess || !races(strict, kind & ~SELECTING)) continue;
        report_race(*earlier, address, bytes, kind, pc, "plain_guess");
        return;
    }
}

void SharedMemory::report_race(const Touch& earlier, uintptr_t address, uintptr_t bytes, int kind, const void* pc,
                               const char* what) const {
    Party other{reinterpret_cast<const void*>(load_address_ + earlier.call_site), earlier.kind, running_block->index(),
                execution.thread_index[earlier.thread]};
    SharedArray array = array_at(address);
    bool both_write = kind & earlier.kind & WRITE, no_atomic = !((kind | earlier.kind) & ATOMIC);
    const char* note = !(kind & WRITE) ? "read after write" : both_write ? "write after write" : "write after read";
    Report race{.kind = what,
                .call_site = pc,
                .access = kind,
                .bytes = bytes,
                .address = address,
                .space = "shared",
                .allocation = memory_of(array),
                .array = array.name,
                .other = other,
                .lanes = kind == WRITE && earlier.kind == WRITE ? lanes_of(other, earlier.thread, pc) : std::nullopt,
                .note = note};
    if (both_write && no_atomic && !(kind & READ)) unsettled_writes.add(std::move(race), address, bytes);
    else report(race);
}

}  // namespace simt
