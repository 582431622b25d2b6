// A block that stepped aside, with its shared memory: a worker has room for one block's at a time. Of the dynamic array, which
// lies anywhere in the range, only the bytes of this launch are kept.
#pragma once
#include <stdint.h>
#include <string.h>

#include <memory>
#include <vector>

#include "block.h"
#include "device_limits.h"
#include "execution.h"
#include "shared_memory.h"

namespace simt {

class Resident {
  public:
    explicit Resident(std::unique_ptr<Block> suspended) : block(std::move(suspended)) {
        const Worker& worker = block->worker();
        if (is_checked_launch()) written_ = shared_memory.suspend();
        uintptr_t array = worker.shared.dynamic_begin, array_end = array + kSharedPerBlockOptin;
        keep(before_, worker.shared.begin, array);
        keep(dynamic_, array, array + worker.dynamic_bytes);
        keep(after_, array_end, worker.shared.begin + worker.shared.bytes);
    }
    void resume() const {
        const Worker& worker = block->worker();
        if (is_checked_launch()) shared_memory.resume(written_);
        uintptr_t array = worker.shared.dynamic_begin;
        memcpy(reinterpret_cast<char*>(worker.shared.begin), before_.data(), before_.size());
        memcpy(reinterpret_cast<char*>(array), dynamic_.data(), dynamic_.size());
        memcpy(reinterpret_cast<char*>(array + kSharedPerBlockOptin), after_.data(), after_.size());
    }

    std::unique_ptr<Block> block;

  private:
    static void keep(std::vector<char>& copy, uintptr_t begin, uintptr_t end) {
        copy.assign(reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end));
    }
    std::vector<char> before_, dynamic_, after_;
    SharedMemory::Suspended written_{};
};

}  // namespace simt
