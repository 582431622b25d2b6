#include "shared_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "execution.h"
#include "findings.h"
#include "modules.h"

namespace simt {

SharedMemory shared_memory;

static constexpr size_t kMostEarlyReads = 1 << 14;   // of one block between two barriers

void SharedMemory::begin_launch(simt_module& module, size_t dynamic_bytes, bool checked) {
    ThreadBlockMemory range = shared_range(module);
    begin_ = range.begin;
    bytes_ = range.bytes;
    dynamic_begin_ = range.dynamic_begin;
    dynamic_bytes_ = dynamic_bytes;
    load_address_ = module.load_address;
    if (!checked) return;
    arrays_ = &shared_arrays(module);
    latest_[0] = latest_[1] = nullptr;
    reserve_cells(bytes_);
}

void SharedMemory::begin_block() {
    early_reads_.clear();
    ++block_;
    ++epoch_;
}

void SharedMemory::pass_barrier() {
    settle_reads();
    ++epoch_;
}

void SharedMemory::settle_reads() {
    for (const EarlyRead& early : early_reads_) {
        if (early.cell->written_by_block == block_) continue;
        report({.kind = "uninitialized_read",
                .call_site = reinterpret_cast<const void*>(load_address_ + early.read.call_site),
                .access = early.read.kind,
                .bytes = early.bytes,
                .address = early.address,
                .space = "shared",
                .block = execution.block->index(),
                .thread = execution.thread_index[early.read.thread]});
    }
    early_reads_.clear();
}

void SharedMemory::reserve_cells(uintptr_t bytes) {
    if (bytes <= cell_bytes_) return;
    auto map = [](size_t count) {
        void* cells = mmap(nullptr, count * sizeof(Cell), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (cells == MAP_FAILED) throw std::bad_alloc();
        return static_cast<Cell*>(cells);   // zero: epoch 0 and block 0 never occur
    };
    if (words_) {
        munmap(words_, (cell_bytes_ / 4 + 1) * sizeof(Cell));
        munmap(parts_, cell_bytes_ * sizeof(Cell));
    }
    words_ = map(bytes / 4 + 1);
    parts_ = map(bytes);
    cell_bytes_ = bytes;
}

void SharedMemory::access(uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    // Words are counted from the start of the range, which the linker aligned for the most demanding variable in it.
    uintptr_t first = address - begin_, end = std::min(first + bytes, bytes_);
    for (uintptr_t word = first / 4; word * 4 < end; ++word) {
        Cell& cell = words_[word];
        uintptr_t from = std::max(first, word * 4), to = std::min(end, word * 4 + 4);
        if (to - from == 4 && cell.split_by_block != block_) {
            touch(cell, address, bytes, kind, pc);
            continue;
        }
        if (cell.split_by_block != block_) split(word);
        for (uintptr_t byte = from; byte < to; ++byte) touch(parts_[byte], address, bytes, kind, pc);
    }
}

void SharedMemory::split(uintptr_t word) {
    for (uintptr_t byte = word * 4; byte < std::min(word * 4 + 4, bytes_); ++byte) parts_[byte] = words_[word];
    words_[word].split_by_block = block_;
}

void SharedMemory::touch(Cell& cell, uintptr_t address, uintptr_t bytes, int kind, const void* pc) {
    Touch now{epoch_, clocks_->now, uint32_t(reinterpret_cast<uintptr_t>(pc) - load_address_), thread_, uint16_t(kind)};
    if (races(cell.write, kind)) report_race(cell.write, address, bytes, kind, pc);
    if (kind & READ && cell.written_by_block != block_ && execution.track_shared_writes) {
        if (early_reads_.size() < kMostEarlyReads) early_reads_.push_back({&cell, now, address, bytes});
    }
    if (kind & WRITE) write(cell, now, address, bytes, pc);
    else remember_read(cell, now);
}

void SharedMemory::write(Cell& cell, const Touch& now, uintptr_t address, uintptr_t bytes, const void* pc) {
    if (races(cell.read, now.kind)) report_race(cell.read, address, bytes, now.kind, pc);
    else if (races(cell.other_read, now.kind)) report_race(cell.other_read, address, bytes, now.kind, pc);
    cell.write = now;
    cell.written_by_block = block_;
}

bool SharedMemory::races(const Touch& earlier, int kind) const {
    if (earlier.epoch != epoch_ || earlier.thread == thread_ || earlier.kind & kind & ATOMIC) return false;
    if (earlier.thread / kWarpSize != thread_ / kWarpSize) return true;
    return !clocks_->ordered(earlier.thread % kWarpSize, earlier.clock, thread_ % kWarpSize);
}

void SharedMemory::remember_read(Cell& cell, const Touch& read) const {
    bool first_is_current = cell.read.epoch == epoch_, other_is_current = cell.other_read.epoch == epoch_;
    if (!first_is_current || cell.read.thread == read.thread) {
        cell.read = read;
    } else if (!other_is_current || cell.other_read.thread == read.thread ||
               cell.other_read.thread / kWarpSize == cell.read.thread / kWarpSize) {
        cell.other_read = read;
    }
}

void SharedMemory::report_race(const Touch& earlier, uintptr_t address, uintptr_t bytes, int kind, const void* pc) const {
    Party other{reinterpret_cast<const void*>(load_address_ + earlier.call_site), earlier.kind, execution.block->index(),
                execution.thread_index[earlier.thread]};
    const char* note = !(kind & WRITE) ? "read after write" : earlier.kind & WRITE ? "write after write" : "write after read";
    report({.kind = "race_shared", .call_site = pc, .access = kind, .bytes = bytes, .address = address, .space = "shared",
            .other = other, .note = note});
}

}  // namespace simt
