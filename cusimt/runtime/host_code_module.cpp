// Linked into every checked library: the thunks through which its kernels call by address, and the check at the beginning of
// functions in its .cpp files. Outside of kernels both continue at once. They are in the section of the hooks, and hidden like
// these.
#ifdef __x86_64__
#include <stddef.h>

#include "host_code.h"
#include "simt_api.h"

// The assembly below counts on it.
static_assert(offsetof(simt_module, text_begin) == 120 && offsetof(simt_module, text_end) == 128);

// The target is in a register, and all others are arguments. In the library, it is plainly fine: this is what device code with
// virtual functions and lambdas does all the time.
asm(R"(
    .section simt_hooks, "ax", @progbits
    .irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    .hidden __x86_indirect_thunk_\register
    .globl __x86_indirect_thunk_\register
    .type __x86_indirect_thunk_\register, @function
__x86_indirect_thunk_\register:
    cmpq 120+simt_this_module(%rip), %\register
    jb 1f
    cmpq 128+simt_this_module(%rip), %\register
    jae 1f
    jmpq *%\register
1:  pushq %\register
    jmp call_elsewhere
    .size __x86_indirect_thunk_\register, . - __x86_indirect_thunk_\register
    .endr

    .type call_elsewhere, @function
call_elsewhere:
    .cfi_startproc
    .cfi_def_cfa_offset 16
)" SIMT_JUMP_ON_DEVICE R"(    ret
1:  .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .endr
    subq $264, %rsp
    .cfi_adjust_cfa_offset 264
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\number, 16*\number(%rsp)
    .endr
    movq 336(%rsp), %rdi
    movq 344(%rsp), %rsi
    call simt_check_call@PLT
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups 16*\number(%rsp), %xmm\number
    .endr
    addq $264, %rsp
    .cfi_adjust_cfa_offset -264
    .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    popq %\register
    .cfi_adjust_cfa_offset -8
    .endr
    ret
    .cfi_endproc
    .size call_elsewhere, . - call_elsewhere
)");

// On entry the stack has the address behind this call, in the host's function, and above it the one behind the call of that.
asm(R"(
    .section simt_hooks, "ax", @progbits
    .hidden __fentry__
    .globl __fentry__
    .type __fentry__, @function
__fentry__:
    .cfi_startproc
)" SIMT_JUMP_ON_DEVICE R"(    ret
1:  movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    call simt_entered_host_code@PLT
    ud2
    .cfi_endproc
    .size __fentry__, . - __fentry__
    .text
)");
#endif
