// The fast path of the access hooks: an access that is obviously valid needs no call into the runtime. Every test is
// conservative: a valid access that fails one is checked again on the slow path.
#pragma once
#include <stdint.h>
#include <string.h>

#include "access_state.h"
#include "simt_api.h"

namespace simt {

template <unsigned bytes>
struct MarksOf;  // the marks of that many bytes, as one number
template <>
struct MarksOf<1> {
    using type = uint8_t;
};
template <>
struct MarksOf<2> {
    using type = uint16_t;
};
template <>
struct MarksOf<4> {
    using type = uint32_t;
};
template <>
struct MarksOf<8> {
    using type = uint64_t;
};
template <>
struct MarksOf<16> {
    using type = unsigned __int128;
};

template <typename T>
constexpr T repeated(uint8_t mark) {
    T all = 0;
    for (unsigned i = 0; i < sizeof(T); ++i) all = T(all << 8 | mark);
    return all;
}

constexpr bool is_fine(uint8_t mark, int kind) {
    return mark != SIMT_UNALLOCATED && mark != SIMT_FREED && !(kind & READ && mark == SIMT_UNWRITTEN);
}

// Fine when all bytes have one mark and that one is fine; anything else is looked at byte by byte in the runtime.
template <unsigned bytes, int kind>
inline __attribute__((always_inline)) bool passes(uint8_t* marks) {
    using Marks = typename MarksOf<bytes>::type;
    Marks all;
    memcpy(&all, marks, bytes);
    auto first = uint8_t(all);
    if (all != Marks(repeated<Marks>(1) * first) || !is_fine(first, kind)) return false;
    if (kind & WRITE) {
        constexpr Marks written = repeated<Marks>(SIMT_KERNEL);
        memcpy(marks, &written, bytes);
    }
    return true;
}

// The usual case on global memory: only this thread has touched the word in this launch, since its last barrier.
template <int kind>
inline __attribute__((always_inline)) bool is_unshared(GlobalCell& cell, const AccessState& state, Record now) {
    auto is_own = [&](Record record) { return epoch_of(record) < state.launch_epoch || same_thread_and_epoch(record, now); };
    if (!is_own(cell.write)) return false;
    if (!(kind & WRITE)) {
        cell.read = with_read(cell.read, now, state.launch_epoch, state.block_epoch, state.barrier_epoch);
        return true;
    }
    bool others_read = epoch_of(cell.read) >= state.launch_epoch && cell.read & (kOtherBlocks | kOtherWarps);
    if (others_read || !is_own(cell.read)) return false;
    cell.write = now;
    return true;
}

template <unsigned bytes, int kind>
inline __attribute__((always_inline)) bool is_unshared(const AccessState& state, uintptr_t offset, const void* pc) {
    if (state.identity == ~Record(0)) return false;  // no access may pass unseen: see show_identity
    Record now = state.identity | (reinterpret_cast<uintptr_t>(pc) & kCallSiteMask);
    GlobalCell* word = state.cells + offset / 4;
    if (bytes >= 4) {
        if (offset % 4 != 0) return false;
        for (unsigned i = 0; i < bytes / 4; ++i) {
            if (!is_unshared<kind>(word[i], state, now)) return false;
        }
        return true;
    }
    if (!(word->write & kSplit) || epoch_of(word->write) < state.launch_epoch) return false;
    for (unsigned i = 0; i < bytes; ++i) {
        if (!is_unshared<kind>(state.parts[offset + i], state, now)) return false;
    }
    return true;
}

// The usual case on shared memory: no other thread of the block wrote it since the last barrier, or, for a write, touched it.
template <int kind>
inline __attribute__((always_inline)) bool is_ordered(SharedCell& cell, const Touch& now, uint32_t serial) {
    auto is_own = [&](const Touch& touch) { return touch.epoch != now.epoch || touch.thread == now.thread; };
    if (!is_own(cell.write)) return false;
    if (!(kind & WRITE)) {
        if (cell.written_by_block != serial) return false;
        remember_read(cell, now);
        return true;
    }
    if (!is_own(cell.read) || !is_own(cell.other_read)) return false;
    cell.write = now;
    cell.written_by_block = serial;
    return true;
}

template <unsigned bytes, int kind>
inline __attribute__((always_inline)) bool is_ordered(const AccessState& state, uintptr_t offset, const void* pc) {
    Touch now = state.touch;
    now.kind = kind;
    now.clock = *state.clock;
    now.call_site = uint32_t(reinterpret_cast<uintptr_t>(pc) - state.load_address);
    SharedCell* word = state.shared_cells + offset / 4;
    if (bytes >= 4) {
        if (offset % 4 != 0) return false;
        for (unsigned i = 0; i < bytes / 4; ++i) {
            bool passes = word[i].split_by_block != state.block_serial && is_ordered<kind>(word[i], now, state.block_serial);
            if (!passes) return false;
        }
        return true;
    }
    if (word->split_by_block != state.block_serial) return false;
    for (unsigned i = 0; i < bytes; ++i) {
        if (!is_ordered<kind>(state.shared_parts[offset + i], now, state.block_serial)) return false;
    }
    return true;
}

}  // namespace simt
