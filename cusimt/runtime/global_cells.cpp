// Reserves the race-detection cells of the arena, and of its words that are accessed in parts.
#include "global_cells.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>

#include "arena.h"

namespace simt {

GlobalCells global_cells;

namespace {
size_t word_bytes() { return arena.device_bytes() / 4 * sizeof(GlobalCell); }
size_t part_bytes() { return arena.device_bytes() * sizeof(GlobalCell); }

// Private, but mapped as shared: untouched pages of such a mapping count against no limit.
GlobalCell* map_cells(size_t bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    madvise(mapped, bytes, MADV_DONTDUMP);
    return static_cast<GlobalCell*>(mapped);
}

// Whole pages of [begin, end), in bytes of the mapping.
void drop(GlobalCell* cells, uintptr_t begin, uintptr_t end) {
    constexpr uintptr_t kPage = 65536;  // no smaller than any page of the supported machines
    begin = (begin + kPage - 1) / kPage * kPage;
    end = end / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<char*>(cells) + begin, end - begin, MADV_REMOVE);
}
}  // namespace

bool GlobalCells::map() {
    if (words_ || unavailable_) return words_;
    words_ = map_cells(word_bytes());
    parts_ = words_ ? map_cells(part_bytes()) : nullptr;
    unavailable_ = !parts_;
    if (unavailable_) unmap();
    // The child of a fork would write into the same cells, so it gets new ones.
    static const int forks = pthread_atfork(nullptr, nullptr, [] { global_cells.unmap(); });
    (void)forks;
    return words_;
}

void GlobalCells::unmap() {
    if (words_) munmap(words_, word_bytes());
    if (parts_) munmap(parts_, part_bytes());
    words_ = parts_ = nullptr;
}

bool GlobalCells::were_touched(uintptr_t begin, uintptr_t end, const Epochs& epochs, bool writes_only) const {
    if (!words_ || epochs.first == 0) return false;
    auto within = [&](Record record) { return epoch_of(record) - epochs.first < epochs.end - epochs.first; };
    auto touched = [&](const GlobalCell& cell) {
        return (!(cell.write & kSplit) && within(cell.write)) || (!writes_only && within(cell.read));
    };
    for (uintptr_t byte = begin - arena.begin; byte < end - arena.begin; byte = byte / 4 * 4 + 4) {
        const GlobalCell& word = words_[byte / 4];
        if (touched(word)) return true;
        if (!(word.write & kSplit)) continue;
        for (uintptr_t part = byte; part < std::min(byte / 4 * 4 + 4, end - arena.begin); ++part) {
            if (touched(parts_[part])) return true;
        }
    }
    return false;
}

void GlobalCells::forget(uintptr_t begin, uintptr_t bytes) {
    if (!words_) return;
    uintptr_t first = begin - arena.begin, end = std::min(first + bytes, arena.device_bytes());
    drop(words_, first / 4 * sizeof(GlobalCell), end / 4 * sizeof(GlobalCell));
    drop(parts_, first * sizeof(GlobalCell), end * sizeof(GlobalCell));
}

void GlobalCells::clear(uintptr_t begin, uintptr_t bytes) {
    if (!words_) return;
    uintptr_t first = (begin - arena.begin) / 4, end = (begin + bytes - arena.begin + 3) / 4;
    std::fill(words_ + first, words_ + end, GlobalCell{});
}

void GlobalCells::forget_all() {
    if (!words_) return;
    drop(words_, 0, word_bytes());
    drop(parts_, 0, part_bytes());
}

}  // namespace simt
