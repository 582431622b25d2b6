// The shield: device memory is inaccessible to the host, as on a GPU.
//
// While the shield is up, the pages of device memory are accessible only during launches, copies, fills, library operators and
// other calls that open it, and the host sees its own copies of __device__ variables. Host code that follows a device pointer
// faults; the fault becomes the finding device_pointer_on_host, and the code continues, so that one mistake does not hide
// later ones.
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
