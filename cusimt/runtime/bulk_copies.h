// Bulk copies (cp.async.bulk, with and without a tensor map): one thread has a whole box copied in the background.
//
// A copy into shared memory brings its bytes to a barrier object, and arrives when all threads of the block wait and one of
// them for that object: as late as it can, so that a missing wait changes the result here as it may on hardware. Copies out of
// shared memory gather in an open group, which a commit closes. A wait lets all but the latest groups arrive, or lets them only
// read their source; those of a thread that returns arrive as well. What never arrives is lost with the block.
//
// The checked build looks at both sides of a copy when it is made, knows which bytes of shared memory are on their way
// (async_copies.h), and notices a source that changes before it was read.
#pragma once
#include <stdint.h>

#include <unordered_map>
#include <vector>

namespace simt {

constexpr uint32_t kBulkUnit = 16;  // bytes, of which a bulk copy moves whole ones, at multiples of it

// Contiguous on both sides. `from` 0: nothing to copy, but a place to fill.
struct Strip {
    uintptr_t to, from;
    uint32_t bytes;
};

struct BulkCopy {
    std::vector<Strip> strips;
    uint32_t bytes;  // that the barrier object counts
    const void* call_site;
    uint8_t fill = 0;  // every byte of what is filled
    // Set when it is made:
    uint32_t thread = 0, group = 0;
    uint32_t epoch = 0, clock = 0;   // of shared memory, and of the thread's warp; later writes to the source have higher ones
    std::vector<uint8_t> content{};  // of the source: of global memory in the checked build when it was made, else once read
    bool is_read = false;
};

class BulkCopies {
  public:
    void begin_block();
    // A copy into shared memory, from wherever; one out of it.
    void load(BulkCopy copy, uint64_t* barrier);
    void store(BulkCopy copy);
    void commit(unsigned thread);
    // Of the thread's closed groups, but for the latest `prior`: they arrive, or have read their source.
    void wait(unsigned thread, unsigned prior, bool reads_only);
    void finish_thread(unsigned thread) {
        if (!stores_.empty()) land_rest(thread);
    }

    // Are there copies that have yet to arrive at a barrier object?
    bool are_coming() const { return !loads_.empty(); }
    // Lets those of this object arrive; false: there are none.
    bool land(const void* barrier);

  private:
    struct Queue {
        std::vector<BulkCopy> copies;  // oldest first
        uint32_t group = 0;            // the open one
    };
    void land_rest(unsigned thread);

    std::unordered_map<const void*, std::vector<BulkCopy>> loads_;
    std::unordered_map<unsigned, Queue> stores_;  // by thread
};

}  // namespace simt
