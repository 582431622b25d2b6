// Which streams use a block of memory, and whether anything orders them.
//
// Of copies, fills and library operators the bytes are known, with the gaps between rows. Of a launch it is known which pointers
// it was given: a block to which an address among its parameters leads counts as used. Two uses of a block are in conflict when
// one of them writes bytes that the other touched, and neither stream waits for the other. Which bytes a kernel touched is in the
// cells in which races are looked for; of a kernel that was not checked it is not known. Of two launches the later one's records
// hide the earlier one's, so those are compared as it runs (GlobalRaces), with the launches `beside` it.
//
// A use is kept after others that come after it, because they may be of other bytes, until one stands for it: whatever is in
// conflict with the one is then in conflict with the other. A block keeps a limited number, and forgets the oldest.
//
// Blocks of PyTorch's caching allocator belong to the stream that was current when they were allocated. When one is freed, the
// allocator hands it to the next request of that stream at once: work queued there later comes after work queued there earlier.
// What another stream still does with the block it only knows when it was told (record_stream). Here addresses are not reused
// at once, so that a use after free is seen. Instead, a block that the real allocator could have given again inherits the uses
// of the freed one, but for streams that were recorded: for those it would have waited. A use of the new block that does not
// come after an inherited one is a finding. (The real allocator takes the smallest free block of the stream that is large
// enough, from a pool for requests up to 1 MiB or one for larger ones; sizes are rounded up to 512 bytes.)
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
    StridedBytes bytes;             // of a launch the one that the pointer points to
    bool is_launch = false, writes = false;
    bool is_followed = false;       // another use of the block comes after it
    Epochs epochs{};                // of a launch
    std::string what;               // the kernel, or the call
    const char* file = nullptr;     // of a launch: its place
    int line = 0;
};

// An earlier launch for which a later one does not wait, though both were given a pointer into the block.
struct LaunchBeside {
    uintptr_t begin = 0, end = 0;   // of the block
    Epochs epochs{};
    std::string told;               // which launches they are
};

class StreamUses {
public:
    // Those beside a launch that is about to run.
    std::vector<LaunchBeside> beside(const simt_launch& launch);
    void launched(const simt_launch& launch, const Moment& when, const Epochs& epochs);
    void touched(const StridedBytes& bytes, bool writes, const char* call, const Moment& when);
    void forget_epochs();   // they are counted from 1 again

    void allocated(uintptr_t base, size_t bytes, uint64_t owner);   // by the caching allocator, for that stream
    void recorded(uintptr_t base, uint64_t stream);
    // `cached`: to the caching allocator; else, as with cudaFree, after all work on the device.
    void released(uintptr_t base, bool cached);

private:
    struct Block {
        size_t bytes = 0;
        uint64_t owner = 0;             // 0: not of the caching allocator
        std::set<uint64_t> recorded;    // streams it was told of
        std::vector<Use> uses;          // oldest first; none of them stands for another
        std::vector<Use> inherited;     // of what the memory was before
    };
    struct Freed {
        size_t bytes;
        std::vector<Use> uses;
    };
    void add(Use use);
    void keep(Block& block, Use use);
    void inherit(Block& block);

    std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;                  // by base
    std::map<uint64_t, std::vector<Freed>> freed_;       // by owner, oldest first; those that may still be in use
};

extern StreamUses stream_uses;

}  // namespace simt
