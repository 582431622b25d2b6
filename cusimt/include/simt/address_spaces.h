// Which memory a generic address means, and conversions between generic addresses and those of one address space.
#pragma once
#include <simt_api.h>
#include <stddef.h>

#include "simt/launch.h"

#pragma GCC visibility push(hidden)
namespace simt {

// A block's shared memory is the thread-local storage of the OS thread that runs it; the runtime fills in where it begins.
SIMT_HOST inline char* shared_window() { return simt_this_module.dynamic_shared() - simt_this_module.tls_to_dynamic; }
SIMT_HOST inline bool is_shared(const void* address) {
    return static_cast<size_t>(static_cast<const char*>(address) - shared_window()) < simt_this_module.tls_bytes;
}

}  // namespace simt
#pragma GCC visibility pop

SIMT_INLINE unsigned int __isGlobal(const void* address) { return simt_is_device_pointer(address) != 0; }
SIMT_INLINE unsigned int __isShared(const void* address) { return simt::is_shared(address); }
SIMT_INLINE unsigned int __isConstant(const void* address) {
    return address >= simt_this_module.constant_begin && address < simt_this_module.constant_end;
}
SIMT_INLINE unsigned int __isLocal(const void* address) {
    return !__isGlobal(address) && !__isShared(address) && !__isConstant(address);
}
SIMT_INLINE unsigned int __isGridConstant(const void*) { return 0; }

// An address in shared memory is its distance from the window's begin: 32 bits hold it, as on a GPU.
SIMT_INLINE size_t __cvta_generic_to_shared(const void* address) {
    return static_cast<size_t>(static_cast<const char*>(address) - simt::shared_window());
}
SIMT_INLINE void* __cvta_shared_to_generic(size_t address) { return simt::shared_window() + address; }
SIMT_INLINE size_t __cvta_generic_to_global(const void* address) { return reinterpret_cast<size_t>(address); }
SIMT_INLINE void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
SIMT_INLINE size_t __cvta_generic_to_constant(const void* address) { return reinterpret_cast<size_t>(address); }
SIMT_INLINE void* __cvta_constant_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
SIMT_INLINE size_t __cvta_generic_to_local(const void* address) { return reinterpret_cast<size_t>(address); }
SIMT_INLINE void* __cvta_local_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
SIMT_INLINE size_t __cvta_generic_to_grid_constant(const void* address) { return reinterpret_cast<size_t>(address); }
SIMT_INLINE void* __cvta_grid_constant_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
