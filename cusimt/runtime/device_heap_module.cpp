// malloc, free, new and delete of a library with kernels. The linker sends the library's calls here (--wrap): in a kernel they
// are the device's, else the host's.
#include <stddef.h>

#include "device_heap.h"
#include "simt_api.h"

#define HIDDEN __attribute__((visibility("hidden"), section("simt_hooks")))
#define HERE __builtin_return_address(0)

#define ALLOCATES_PLAINLY(NAME)                                                     \
    extern "C" void* __real_##NAME(size_t bytes);                                   \
    extern "C" HIDDEN void* __wrap_##NAME(size_t bytes) {                           \
        return simt_on_device() ? simt_heap_allocate(bytes) : __real_##NAME(bytes); \
    }
#define ALLOCATES_WITH(NAME, T)                                                             \
    extern "C" void* __real_##NAME(size_t bytes, T option);                                 \
    extern "C" HIDDEN void* __wrap_##NAME(size_t bytes, T option) {                         \
        return simt_on_device() ? simt_heap_allocate(bytes) : __real_##NAME(bytes, option); \
    }
#define RELEASES(NAME, CALL)                                                                \
    extern "C" void __real_##NAME(void* pointer);                                           \
    extern "C" HIDDEN void __wrap_##NAME(void* pointer) {                                   \
        simt_on_device() ? simt_heap_release(pointer, CALL, HERE) : __real_##NAME(pointer); \
    }
#define RELEASES_WITH(NAME)                                                                             \
    extern "C" void __real_##NAME(void* pointer, size_t option);                                        \
    extern "C" HIDDEN void __wrap_##NAME(void* pointer, size_t option) {                                \
        simt_on_device() ? simt_heap_release(pointer, "delete", HERE) : __real_##NAME(pointer, option); \
    }
#define RELEASES_ALIGNED(NAME)                                                                                    \
    extern "C" void __real_##NAME(void* pointer, size_t bytes, size_t alignment);                                 \
    extern "C" HIDDEN void __wrap_##NAME(void* pointer, size_t bytes, size_t alignment) {                         \
        simt_on_device() ? simt_heap_release(pointer, "delete", HERE) : __real_##NAME(pointer, bytes, alignment); \
    }

ALLOCATES_PLAINLY(malloc)
RELEASES(free, "free")
// operator new and new[]; also with std::nothrow, and with an alignment, which is at most that of every allocation here.
ALLOCATES_PLAINLY(_Znwm)
ALLOCATES_PLAINLY(_Znam)
ALLOCATES_WITH(_ZnwmRKSt9nothrow_t, const void*)
ALLOCATES_WITH(_ZnamRKSt9nothrow_t, const void*)
ALLOCATES_WITH(_ZnwmSt11align_val_t, size_t)
ALLOCATES_WITH(_ZnamSt11align_val_t, size_t)
// operator delete and delete[]; with the size, the alignment, or both.
RELEASES(_ZdlPv, "delete")
RELEASES(_ZdaPv, "delete[]")
RELEASES_WITH(_ZdlPvm)
RELEASES_WITH(_ZdaPvm)
RELEASES_WITH(_ZdlPvSt11align_val_t)
RELEASES_WITH(_ZdaPvSt11align_val_t)
RELEASES_ALIGNED(_ZdlPvmSt11align_val_t)
RELEASES_ALIGNED(_ZdaPvmSt11align_val_t)
