// Which streams use a block of memory, and whether anything orders their uses.
//
// For copies, fills and library operators the bytes are known, gaps between rows included. For a launch its pointers are
// known: a block to which a parameter points counts as used. Two uses of a block conflict if one writes bytes that the other
// touched, and neither stream waits for the other. The bytes that a checked kernel touched are in the cells of race detection;
// those of an unchecked kernel are not known. The records of a later launch hide those of an earlier one, so two launches are
// compared while the later one runs (GlobalRaces), with the concurrent launches `beside` it.
//
// A use is kept after later ones, because they may cover other bytes, until one subsumes it: whatever conflicts with the
// earlier use then conflicts with the later one, too. A block keeps a limited number of uses, and drops the oldest.
//
// Blocks of PyTorch's caching allocator belong to the stream that was current when they were allocated. When one is freed, the
// allocator gives it to the next request on that stream at once, because later work of the stream is ordered after earlier
// work. It learns of uses by other streams only from record_stream. Here addresses are not reused at once, so that a use after
// free is detected. Instead, a block that the real allocator could have reused inherits the uses of the freed one, except
// those of recorded streams, for which the allocator would have waited. A use of the new block that is not ordered after an
// inherited one is a finding. (The real allocator takes the smallest free block of the stream that is large enough, from a
// pool for requests up to 1 MiB or one for larger ones; sizes are rounded up to 512 bytes.)
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "global_cells.h"
#include "ordering.h"
#include "simt_api.h"
#include "strided_bytes.h"

namespace simt {

struct Use {
    Moment when;
    StridedBytes bytes;  // of a launch the one that the pointer points to
    bool is_launch = false, writes = false;
    bool is_followed = false;    // another use of the block comes after it
    Epochs epochs{};             // of a launch
    std::string what;            // the kernel, or the call
    const char* file = nullptr;  // of a launch: its place
    int line = 0;
};

// An earlier launch for which a later one does not wait, though both were given a pointer into the block.
struct LaunchBeside {
    uintptr_t begin = 0, end = 0;  // of the block
    Epochs epochs{};
    std::string launches;  // which they are, in words
};

class StreamUses {
  public:
    // Those beside a launch that is about to run.
    std::vector<LaunchBeside> beside(const simt_launch& launch);
    void launched(const simt_launch& launch, const Moment& when, const Epochs& epochs);
    void touched(const StridedBytes& bytes, bool writes, const char* call, const Moment& when);
    void forget_epochs();  // they are counted from 1 again

    void allocated(uintptr_t base, size_t bytes, uint64_t owner);  // by the caching allocator, for that stream
    void recorded(uintptr_t base, uint64_t stream);
    // `cached`: to the caching allocator; else, as with cudaFree, after all work on the device.
    void released(uintptr_t base, bool cached);

  private:
    struct Block {
        size_t bytes = 0;
        uint64_t owner = 0;           // 0: not of the caching allocator
        std::set<uint64_t> recorded;  // streams that it knows of
        std::vector<Use> uses;        // oldest first; none subsumes another
        std::vector<Use> inherited;   // of what the memory was before
    };
    struct Freed {
        size_t bytes;
        std::vector<Use> uses;
    };
    void add(Use use);
    void keep(Block& block, Use use);
    void inherit(Block& block);

    std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;             // by base
    std::map<uint64_t, std::vector<Freed>> freed_;  // by owner, oldest first; those that may still be in use
};

extern StreamUses stream_uses;

}  // namespace simt
