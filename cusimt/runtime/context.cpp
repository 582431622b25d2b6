// Switches between fibers. swapcontext() makes a system call to save the signal mask (about 300 ns); a function call must only
// preserve the callee-saved registers, so a switch is a dozen stores and loads. The floating-point control words (MXCSR, x87,
// FPCR) stay as they are: device code cannot change them, and the host's setting applies to all of its kernels.
#include "context.h"

#include <stdint.h>

#ifdef CUSIMT_UCONTEXT

namespace simt {

void prepare(Context& context, char* stack, size_t bytes, void (*entry)()) {
    getcontext(&context.saved);
    context.saved.uc_stack.ss_sp = stack;
    context.saved.uc_stack.ss_size = bytes;
    context.saved.uc_link = nullptr;
    makecontext(&context.saved, entry, 0);
}

void switch_context(Context& from, Context& to) { swapcontext(&from.saved, &to.saved); }

}  // namespace simt

#else

extern "C" __attribute__((visibility("hidden"))) void simt_switch_stack(void** from, void* to);

#if defined(__x86_64__)
asm(R"(
.text
.hidden simt_switch_stack
.globl simt_switch_stack
.type simt_switch_stack, @function
simt_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size simt_switch_stack, . - simt_switch_stack
)");

namespace {
constexpr int kReturnAddress = 6;
constexpr int kFrameWords = 8;  // one more word, so that entry() starts with the alignment of a called function
}  // namespace

#else  // __aarch64__: x19-x30 and the low halves of v8-v15 belong to the caller
asm(R"(
.text
.hidden simt_switch_stack
.globl simt_switch_stack
.type simt_switch_stack, %function
simt_switch_stack:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size simt_switch_stack, . - simt_switch_stack
)");

namespace {
constexpr int kReturnAddress = 11;  // x30
constexpr int kFrameWords = 20;
}  // namespace
#endif

namespace simt {

void prepare(Context& context, char* stack, size_t bytes, void (*entry)()) {
    uintptr_t top = (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t(15);
    auto* frame = reinterpret_cast<uintptr_t*>(top) - kFrameWords;
    for (int i = 0; i < kFrameWords; ++i) frame[i] = 0;  // a zero frame pointer ends a debugger's backtrace
    frame[kReturnAddress] = reinterpret_cast<uintptr_t>(entry);
    context.stack_pointer = frame;
}

void switch_context(Context& from, Context& to) { simt_switch_stack(&from.stack_pointer, to.stack_pointer); }

}  // namespace simt

#endif
