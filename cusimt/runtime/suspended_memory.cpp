// The shadow of shared memory while blocks take turns in it. A suspended block keeps which words it has written, but not its
// access records: records of other blocks have other epochs.
#include "device_limits.h"
#include "execution.h"
#include "shared_memory.h"

namespace simt {

// The words that this launch may use: of the dynamic array, which lies anywhere in the range, only the first ones.
template <typename Each>
void SharedMemory::for_each_word(Each each) const {
    uintptr_t dynamic = dynamic_begin_ - begin_;
    auto range = [&](uintptr_t begin, uintptr_t end) {
        for (uintptr_t word = begin / 4; word < (end + 3) / 4; ++word) each(word);
    };
    range(0, dynamic);
    range(dynamic, dynamic + dynamic_bytes_);
    range(dynamic + kSharedPerBlockOptin, bytes_);
}

uint8_t SharedMemory::written_bytes(uintptr_t word) const {
    if (words_[word].split_by_block != serial_) return words_[word].written_by_block == serial_ ? 15 : 0;
    uint8_t bits = 0;
    for (unsigned byte = 0; byte < 4; ++byte) bits |= uint8_t(parts_[word * 4 + byte].written_by_block == serial_) << byte;
    return bits;
}

SharedMemory::Suspended SharedMemory::suspend() const {
    Suspended block{epoch_, serial_, {}};
    if (is_checked_launch()) for_each_word([&](uintptr_t word) { block.written.push_back(written_bytes(word)); });
    return block;
}

void SharedMemory::resume(const Suspended& block) {
    epoch_ = execution.access.barrier_epoch = block.epoch;
    moment_ = epoch_;
    serial_ = execution.access.block_serial = block.serial;
    early_reads_.clear();
    size_t next = 0;
    for_each_word([&](uintptr_t word) {
        if (next == block.written.size()) return;  // not a checked build
        unsigned bits = block.written[next++];
        words_[word].written_by_block = bits == 15 ? serial_ : 0;
        words_[word].split_by_block = bits == 15 || bits == 0 ? 0 : serial_;
        if (words_[word].split_by_block != serial_) return;
        for (unsigned byte = 0; byte < 4; ++byte) parts_[word * 4 + byte].written_by_block = bits >> byte & 1 ? serial_ : 0;
    });
}

}  // namespace simt
