// Host code that kernels must not run: no access hook sees its reads and writes, and nvcc refuses to compile the call. A
// kernel can reach it in three ways, each of which has a guard: a call by name goes through the library's import table
// (imports.cpp), a call by address through a compiler's thunk, and every function of a .cpp file begins with a check (both
// host_code_module.cpp). x86-64 only.
#pragma once
#include <stddef.h>

#include "access_state.h"

// For assembly: on to the label 1 behind it if a kernel is running. All registers stay as they are.
#define SIMT_JUMP_ON_DEVICE                       \
    "    pushq %rax\n"                            \
    "    .cfi_adjust_cfa_offset 8\n"              \
    "    movq simt_access@gottpoff(%rip), %rax\n" \
    "    movq %fs:(%rax), %rax\n"                 \
    "    cmpl $0, 56(%rax)\n"                     \
    "    popq %rax\n"                             \
    "    .cfi_adjust_cfa_offset -8\n"             \
    "    jne 1f\n"
static_assert(offsetof(simt::AccessState, on_device) == 56);

namespace simt {

struct HostFunction {
    uintptr_t address;  // first: assembly jumps there
    const char* name;   // as the dynamic linker knows it
};

// What a guarded import calls with a HostFunction in r11: on to the function, unless a kernel is running.
extern "C" void simt_host_function();

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
// A call of a kernel to an address outside of its library. Returns if a kernel may call what is there.
void simt_check_call(uintptr_t address, const void* pc);
// A kernel has called a function of a .cpp file: the addresses of a place in that function, and of the one after the call.
[[noreturn]] void simt_entered_host_code(const void* entered, const void* pc);
// printf and vprintf on the device: %n, which writes through a pointer, is refused.
void simt_check_format(const char* format, const void* pc);
}
#pragma GCC visibility pop
