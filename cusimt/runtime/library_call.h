// Shared by the simulations of NVIDIA's libraries: they compute on the host, in the calling thread, on device memory.
#pragma once
#include <stddef.h>

#include "api_log.h"
#include "captures.h"
#include "cuda_runtime_api.h"
#include "simt_api.h"
#include "streams.h"

namespace simt {

// Whether the call that begins now is the one that simt_refuse_library_call named; if so, simt_library_call_fails until it ends.
bool begin_refused();
void end_refused();

// One call of a library: opens the shield, lets time pass on a stream, and is recorded like a call of the runtime.
// `name` says what the library does; `operations` is an estimate. Its function asks simt_library_call_fails before it computes.
class LibraryCall {
  public:
    LibraryCall(const char* name, cudaStream_t stream, double operations) {
        refuse_captured_call(name, stream);  // the capture fails
        simt_open_shield(1);
        constexpr double kLaunchMicroseconds = 5, kOperationsPerMicrosecond = 30e6;
        Submitted work = advance_stream(stream, kLaunchMicroseconds + operations / kOperationsPerMicrosecond);
        int error = begin_refused() ? cudaErrorLaunchOutOfResources : cudaSuccess;
        log_api_call({.call = name, .kind = "library", .stream = stream, .error = error, .work = work});
    }
    ~LibraryCall() {
        end_refused();
        simt_open_shield(0);
    }
    LibraryCall(const LibraryCall&) = delete;
};

// One call that only prepares work of a library, such as asking for the size of a workspace. It costs the device nothing, and is
// recorded because its status has to be checked, too: simt_refuse_library_call counts it among the others.
class LibrarySetup {
  public:
    explicit LibrarySetup(const char* name) : refused_(begin_refused()) {
        log_api_call({.call = name, .kind = "setup", .error = refused_ ? cudaErrorMemoryAllocation : cudaSuccess});
    }
    ~LibrarySetup() { end_refused(); }
    LibrarySetup(const LibrarySetup&) = delete;
    bool is_refused() const { return refused_; }

  private:
    bool refused_;
};

// Does live device, managed or pinned memory hold the `bytes` from `address` on? A GPU would fault where it does not.
inline bool is_accessible(const void* address, size_t bytes) {
    void* base = nullptr;
    size_t size = 0;
    if (bytes == 0) return true;
    if (!simt_allocation(address, &base, &size)) return false;
    return size - static_cast<size_t>(static_cast<const char*>(address) - static_cast<const char*>(base)) >= bytes;
}

}  // namespace simt
