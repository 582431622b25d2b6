// What happens when device code makes the processor fault, overflows its stack or never ends.
#pragma once
#include <signal.h>

namespace simt {

// Once installed they stay.
void install_fault_handlers();
void install_watchdog();  // its signal's handler

// Of the watchdog, to a thread whose time is up; and from one worker to others, to leave a block whose launch has ended.
// Ignored by default, and by nearly everyone.
constexpr int kWatchdogSignal = SIGURG;

// For the duration of a launch on this OS thread: signal handlers with a stack of their own, and the watchdog.
class FaultGuard {
  public:
    enum Thread { kLaunching, kOfHelper };  // a helper finds the handlers installed
    explicit FaultGuard(Thread thread = kLaunching);
    ~FaultGuard();
    FaultGuard(const FaultGuard&) = delete;
    FaultGuard& operator=(const FaultGuard&) = delete;
};

}  // namespace simt
