// Stacks of fibers, each with a guard range below it. They stay mapped for the life of the process and serve one fiber after
// another.
#pragma once
#include <stddef.h>

namespace simt {

struct Stack {
    char* begin;
    size_t bytes;
};

constexpr size_t kStackBytes = 128 * 1024;

// A stack that no fiber has. Throws std::bad_alloc when the address space is exhausted.
Stack take_stack();
void give_back_stack(const Stack& stack);
bool in_guard(const Stack& stack, const void* address);

}  // namespace simt
