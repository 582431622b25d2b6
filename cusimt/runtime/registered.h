// Memory outside the arena that device code may touch, and devices that may touch each other's memory.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace simt {

// cudaHostRegister. Both return 0 or a cudaError_t.
int register_host_memory(void* pointer, size_t bytes);
int unregister_host_memory(void* pointer);
bool is_registered_host_memory(uintptr_t address, size_t bytes);

bool may_access_peer(int device, int peer);
// cudaDeviceEnablePeerAccess and its counterpart; 0 or a cudaError_t.
int set_peer_access(int device, int peer, bool enabled);

// threadIdx and the other built-in variables, for code that reads them as ordinary variables.
bool is_builtin_variable(uintptr_t address);

}  // namespace simt
