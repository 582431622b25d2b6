// A suspended computation: everything that a function call must preserve, on its own stack.
#pragma once
#include <stddef.h>

#if !defined(CUSIMT_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define CUSIMT_UCONTEXT 1
#endif
#ifdef CUSIMT_UCONTEXT
#include <ucontext.h>
#endif

namespace simt {

#ifdef CUSIMT_UCONTEXT
struct Context {
    ucontext_t saved;
};
#else
struct Context {
    void* stack_pointer = nullptr;  // the saved registers lie on the stack itself
};
#endif

// Makes `context` start `entry` on the given stack when it is first switched to. `entry` must never return.
void prepare(Context& context, char* stack, size_t bytes, void (*entry)());

// Saves the caller in `from` and continues `to`; returns when another context switches back.
void switch_context(Context& from, Context& to);

}  // namespace simt
