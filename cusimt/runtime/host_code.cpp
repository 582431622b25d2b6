// Finds and reports a kernel's calls of host code.
#include "host_code.h"

#include <dlfcn.h>
#include <string.h>

#include <string>

#include "execution.h"
#include "findings.h"
#include "imports.h"
#include "modules.h"

namespace simt {

namespace {
[[noreturn]] void refuse(const std::string& name, const void* pc) {
    report({.kind = "host_function", .call_site = pc, .note = name});
    fail_launch(cudaErrorLaunchFailure);
}

std::string name_at(const void* address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "";
}

// Whether the format has a %n, which stores a number where its argument points.
bool stores(const char* format) {
    while ((format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, "0123456789$#-+ '.*hlLqjztI");
        if (*format == 'n') return true;
        if (*format) ++format;
    }
    return false;
}
}  // namespace

}  // namespace simt

using namespace simt;

extern "C" {
__attribute__((visibility("hidden"), used, noreturn)) void simt_refuse_host_function(const HostFunction* function,
                                                                                     const void* pc) {
    refuse(function->name, pc);
}

void simt_check_call(uintptr_t address, const void* pc) {
    if (is_kernel_code(address) || is_callable_import(address)) return;
    refuse(name_at(reinterpret_cast<const void*>(address)), pc);
}

void simt_entered_host_code(const void* entered, const void* pc) { refuse(name_at(entered), pc); }

void simt_check_format(const char* format, const void* pc) {
    if (simt_access->on_device && stores(format)) refuse("printf with %n", pc);
}
}

#ifdef __x86_64__
// Registers and stack stay as the caller left them, so that any function can be behind it.
asm(R"(
    .text
    .hidden simt_host_function
    .globl simt_host_function
    .type simt_host_function, @function
simt_host_function:
    .cfi_startproc
)" SIMT_JUMP_ON_DEVICE R"(    jmpq *(%r11)
1:  movq %r11, %rdi
    movq (%rsp), %rsi
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call simt_refuse_host_function
    ud2
    .cfi_endproc
    .size simt_host_function, . - simt_host_function
)");
#endif
