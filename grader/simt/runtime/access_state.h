// What an access hook must know to let a harmless access pass in a few instructions. Shared by the runtime and by hooks.cpp,
// which is compiled into every checked module.
#pragma once
#include <stdint.h>

namespace simt {

// The host has one constant state in which everything but device memory is quiet; a running kernel has its own. Hooks
// therefore need no separate question "am I on the device?".
struct AccessState {
    uintptr_t arena_begin, arena_bytes;   // global memory of the device that runs; empty on the host
    uint8_t* marks;                       // one SIMT_* byte per byte of it
    uintptr_t quiet_begin, quiet_bytes;   // never checked: the fiber's stack; on the host all but device memory
    uintptr_t shared_begin, shared_bytes; // the module's shared memory in this OS thread
    int on_device;
};

// Bits: an atomic read-modify-write is all three.
enum AccessKind { READ = 1, WRITE = 2, ATOMIC = 4 };

}  // namespace simt

#pragma GCC visibility push(default)
extern "C" {
extern __thread simt::AccessState* simt_access __attribute__((tls_model("initial-exec")));

// The slow paths, in the runtime. `aligned`: the access must be a multiple of its size (the compiler assumed it is).
void simt_check_global(uintptr_t address, uintptr_t bytes, int kind, int aligned, const void* pc);
void simt_check_shared(uintptr_t address, uintptr_t bytes, int kind, int aligned, const void* pc);
void simt_check_other(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
void simt_check_range(const void* address, uintptr_t bytes, int kind, const void* pc);   // memcpy and the like
void simt_spin(void);                  // a volatile read: maybe the kernel waits for another thread
}
#pragma GCC visibility pop
