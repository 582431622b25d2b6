// The tables of registered host memory and of peer access.
#include "registered.h"

#include <map>
#include <mutex>

#include "arena.h"
#include "execution.h"

namespace simt {

namespace {
std::mutex registered_lock;
std::map<uintptr_t, size_t> registered;
bool peer_access[kDevices][kDevices];
}  // namespace

int register_host_memory(void* pointer, size_t bytes) {
    if (!pointer || bytes == 0) return cudaErrorInvalidValue;
    std::lock_guard lock(registered_lock);
    return registered.emplace(reinterpret_cast<uintptr_t>(pointer), bytes).second ? cudaSuccess
                                                                                  : cudaErrorHostMemoryAlreadyRegistered;
}

int unregister_host_memory(void* pointer) {
    std::lock_guard lock(registered_lock);
    return registered.erase(reinterpret_cast<uintptr_t>(pointer)) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

bool is_registered_host_memory(uintptr_t address, size_t bytes) {
    std::lock_guard lock(registered_lock);
    auto it = registered.upper_bound(address);
    if (it == registered.begin()) return false;
    --it;
    uintptr_t end = it->first + it->second;
    return address <= end && bytes <= end - address;
}

bool may_access_peer(int device, int peer) { return device == peer || peer_access[device][peer]; }

int set_peer_access(int device, int peer, bool enabled) {
    if (peer < 0 || peer >= kDevices) return cudaErrorInvalidDevice;
    if (peer == device) return cudaErrorPeerAccessUnsupported;
    if (peer_access[device][peer] == enabled) {
        return enabled ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
    }
    peer_access[device][peer] = enabled;
    return cudaSuccess;
}

bool is_builtin_variable(uintptr_t address) {
    auto within = [address](const auto& variable) {
        return address - reinterpret_cast<uintptr_t>(&variable) < sizeof variable;
    };
    return within(threadIdx) || within(blockIdx) || within(blockDim) || within(gridDim);
}

}  // namespace simt
