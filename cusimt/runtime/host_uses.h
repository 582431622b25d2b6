// Host code that touches managed memory while a kernel may still be using it, or pinned memory while a copy may. Both return to
// the host before they have run: until it waits, what they write is not for the host to touch, and what they read not for the
// host to write. Hooks see the host code of .cu files. Here kernels run when they are queued, and what they touched is in the
// cells of race detection, also where they reached it through pointers in memory.
#pragma once
#include <stdint.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

#include "global_cells.h"
#include "ordering.h"
#include "simt_api.h"
#include "strided_bytes.h"

namespace simt {

class HostUses {
  public:
    void launched(const simt_launch& launch, const Moment& when, const Epochs& epochs);
    void copied(const StridedBytes& bytes, bool writes, const char* call, const Moment& when);
    // Host code is about to access managed or pinned memory.
    void touches(uintptr_t address, uintptr_t bytes, int kind, const void* pc);
    // By means that the runtime does not know: something that a kernel, or a function queued behind it, may have set.
    void may_have_waited();

  private:
    struct Pending {  // work for which the host has not waited
        Moment when;
        std::string what;
        Epochs epochs{};       // of a launch
        StridedBytes bytes{};  // of a copy
        bool writes = false;
    };
    static constexpr size_t kMost = 64;  // the oldest of more are forgotten

    void add(Pending work);
    static bool conflict(const Pending& work, const StridedBytes& bytes, bool writes);

    std::mutex mutex_;
    std::deque<Pending> pending_;
    std::atomic<bool> any_ = false;
};

extern HostUses host_uses;

}  // namespace simt
