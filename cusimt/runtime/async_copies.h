// Asynchronous copies (cp.async). The bytes arrive at the wait, so that a missing wait or barrier changes the result here as
// it may on hardware.
//
// A thread's copies gather in an open batch. A commit closes the batch, and a wait completes all but the latest batches; or
// the open batch is attached to a barrier object, and completes when a phase of that ends. Copies into shared memory that are
// never waited for are lost with the block; others complete when their thread returns.
//
// The checked build knows which bytes of shared memory have a copy in flight: any access to them, by the copying thread too,
// is too early. It also reports a source that changes before its bytes were copied.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <unordered_map>
#include <vector>

#include "access_state.h"

namespace simt {

constexpr unsigned kCopyBytes = 16;  // the most that one copy moves

struct AsyncCopy {
    uintptr_t to, from;
    uint32_t bytes;       // 1, 2, 4, 8 or 16; `to` and `from` are multiples of it
    uint32_t zero_bytes;  // the last of them: not copied but set to zero
    const void* call_site;
    uint32_t thread = 0;
    uint32_t batch = 0;
    // The source as it was (checked build): its bytes, and who wrote each of its words of global memory.
    uint8_t before[kCopyBytes] = {};
    Record writers[kCopyBytes / 4] = {};
};

class AsyncCopies {
  public:
    // A block begins: forgets what the one before left.
    void begin_block(unsigned threads);
    void issue(AsyncCopy copy);
    void commit(unsigned thread) {
        if (!queues_.empty()) ++queues_[thread].batch;
    }
    // Lands the thread's closed batches, but for the latest `prior` of them.
    void wait(unsigned thread, unsigned prior);
    // The thread's open batch lands with the barrier object.
    void attach(unsigned thread, const void* barrier);
    void land_attached(const void* barrier);
    void finish_thread(unsigned thread) {
        if (!queues_.empty()) land_outside(queues_[thread]);
    }

    // Are there copies that an access to shared memory must not meet?
    bool in_flight() const { return flying_ > 0; }
    // Reports an access to bytes that have not arrived; true if it did.
    bool meets(uintptr_t address, uintptr_t bytes, int kind, const void* pc) const;
    // Bytes of shared memory to which a copy is on its way, or has arrived; of bulk copies, too.
    void mark(uintptr_t to, uint32_t bytes, uint32_t thread, const void* call_site, bool flies);

  private:
    struct Queue {
        std::vector<AsyncCopy> copies;  // oldest first; those before `landed` are done
        size_t landed = 0;
        uint32_t batch = 0;  // the open one
    };
    void land_outside(Queue& queue);
    void land(const AsyncCopy& copy);

    unsigned threads_ = 0;
    uint32_t serial_ = 0;  // of the block, as the bytes in flight know it
    unsigned flying_ = 0;
    std::vector<Queue> queues_;  // one per thread, from the first copy of the block on
    std::unordered_map<const void*, std::vector<AsyncCopy>> attached_;
};

}  // namespace simt
