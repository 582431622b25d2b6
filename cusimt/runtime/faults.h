// What happens when device code makes the processor fault, overflows its stack or never ends.
#pragma once

namespace simt {

void install_fault_handlers();  // once installed they stay

// For the duration of a launch on this OS thread: signal handlers with a stack of their own, and the watchdog.
class FaultGuard {
  public:
    FaultGuard();
    ~FaultGuard();
    FaultGuard(const FaultGuard&) = delete;
    FaultGuard& operator=(const FaultGuard&) = delete;
};

}  // namespace simt
