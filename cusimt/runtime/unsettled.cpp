// Keeps writes that may turn out to change nothing, and settles them before another thread runs.
#include "unsettled.h"

#include <string.h>

#include "execution.h"
#include "volatile_words.h"

namespace simt {

UnsettledWrites unsettled_writes;

void UnsettledWrites::add(Report what, uintptr_t begin, uintptr_t bytes, bool is_suspect) {
    what.block = running_block->index();
    what.thread = execution.thread_index[running_block->current().thread];
    auto memory = reinterpret_cast<const uint8_t*>(begin);
    writes_.push_back({std::move(what), begin, {memory, memory + bytes}, is_suspect});
}

void UnsettledWrites::settle_all() {
    for (const Write& write : writes_) {
        bool same = memcmp(reinterpret_cast<const void*>(write.begin), write.before.data(), write.before.size()) == 0;
        if (same) continue;
        if (write.is_suspect) volatile_words.suspect(write.what);
        else report(write.what);
    }
    writes_.clear();
}

}  // namespace simt
