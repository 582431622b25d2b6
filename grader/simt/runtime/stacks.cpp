#include "stacks.h"

#include <stdint.h>
#include <sys/mman.h>

#include <new>

namespace simt {

// Large, so that a frame that skips a page or two still lands in it (modules are compiled with -fstack-clash-protection, which
// touches every page of a larger frame).
static constexpr size_t kGuardBytes = 64 * 1024;

Stack map_stack(unsigned index) {
    void* mapped = mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    char* begin = static_cast<char*>(mapped) + kGuardBytes;
    if (mprotect(begin, kStackBytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    // Fibers of a block run in turn and use the same depth of stack. Equal offsets within a page would put all those lines
    // into the same few sets of the L1 cache, so every stack starts one line lower than the last.
    size_t color = (index % 32) * 64;
    return {begin, kStackBytes - color};
}

bool in_guard(const Stack& stack, const void* address) {
    auto fault = reinterpret_cast<uintptr_t>(address), begin = reinterpret_cast<uintptr_t>(stack.begin);
    return fault < begin && fault >= begin - kGuardBytes;
}

}  // namespace simt
