// Maps stacks for fibers, and reuses them.
#include "stacks.h"

#include <stdint.h>
#include <sys/mman.h>

#include <mutex>
#include <new>
#include <vector>

namespace simt {

// Large, so that a frame that skips a page or two still lands in it (modules are compiled with -fstack-clash-protection, which
// touches every page of a larger frame).
static constexpr size_t kGuardBytes = 64 * 1024;
// Linux lets a process have 65530 mappings, of which a guarded stack takes two. A cooperative launch may need many more stacks
// than that allows; those beyond this number have no guard, and the system makes neighbours of them one mapping.
static constexpr size_t kMostGuarded = 12 * 1024;

// Workers of one launch take stacks at the same time.
static std::mutex stacks_lock;

// Never destroyed: fibers in static variables give their stacks back after main.
static std::vector<Stack>& unused_stacks() {
    static auto* stacks = new std::vector<Stack>;
    return *stacks;
}

static Stack map_stack(size_t index) {
    bool guarded = index < kMostGuarded;
    size_t guard = guarded ? kGuardBytes : 0;
    int protection = guarded ? PROT_NONE : PROT_READ | PROT_WRITE;
    void* mapped = mmap(nullptr, guard + kStackBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    char* begin = static_cast<char*>(mapped) + guard;
    if (guarded && mprotect(begin, kStackBytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    // Fibers of a block run in turn and use the same depth of stack. Equal offsets within a page would put all those lines
    // into the same few sets of the L1 cache, so every stack starts one line lower than the last.
    size_t color = (index % 32) * 64;
    return {begin, kStackBytes - color};
}

Stack take_stack() {
    std::lock_guard lock(stacks_lock);
    static size_t mapped = 0;
    if (unused_stacks().empty()) return map_stack(mapped++);
    Stack stack = unused_stacks().back();
    unused_stacks().pop_back();
    return stack;
}

void give_back_stack(const Stack& stack) {
    std::lock_guard lock(stacks_lock);
    unused_stacks().push_back(stack);
}

bool in_guard(const Stack& stack, const void* address) {
    auto fault = reinterpret_cast<uintptr_t>(address), begin = reinterpret_cast<uintptr_t>(stack.begin);
    return fault < begin && fault >= begin - kGuardBytes;
}

}  // namespace simt
