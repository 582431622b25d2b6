// Stacks of fibers: mapped once, kept for the life of the process, each with a guard range below it.
#pragma once
#include <stddef.h>

namespace simt {

struct Stack {
    char* begin;
    size_t bytes;
};

constexpr size_t kStackBytes = 128 * 1024;

// The stack of fiber `index`. Throws std::bad_alloc when the address space is exhausted.
Stack map_stack(unsigned index);
bool in_guard(const Stack& stack, const void* address);

}  // namespace simt
