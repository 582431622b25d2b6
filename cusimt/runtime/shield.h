// The shield: device memory out of the host's reach, as on a GPU.
//
// While it is up, the pages of device memory are accessible only during launches, copies, fills, library operators and whatever
// else opens it, and __device__ variables show the host copies of its own. Host code that follows a device pointer faults; the
// fault is noted, becomes the finding device_pointer_on_host, and the code goes on, so that one mistake does not hide what comes
// after it.
#pragma once
#include <stdint.h>

namespace simt {

// As long as one exists, on any thread, device memory is accessible.
class OpenShield {
public:
    OpenShield();
    ~OpenShield();
    OpenShield(const OpenShield&) = delete;
    OpenShield& operator=(const OpenShield&) = delete;
};

bool is_shield_up();

// Whether a fault at `address` met the shield, which then lets the code at `pc` go on. Async-signal-safe.
bool pierce_shield(uintptr_t address, uintptr_t pc);

}  // namespace simt
