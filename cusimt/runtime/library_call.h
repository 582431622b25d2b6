// Shared by the simulations of NVIDIA's libraries: they compute on the host, in the calling thread, on device memory.
#pragma once
#include <stddef.h>

#include "api_log.h"
#include "captures.h"
#include "cuda_runtime_api.h"
#include "simt_api.h"
#include "streams.h"

namespace simt {

// One call of a library: opens the shield, lets time pass on a stream, and is recorded like a call of the runtime.
// `name` says what the library does; `operations` is an estimate.
class LibraryCall {
  public:
    LibraryCall(const char* name, cudaStream_t stream, double operations) {
        refuse_captured_call(name, stream);  // the capture fails
        simt_open_shield(1);
        constexpr double kLaunchMicroseconds = 5, kOperationsPerMicrosecond = 30e6;
        Submitted work = advance_stream(stream, kLaunchMicroseconds + operations / kOperationsPerMicrosecond);
        log_api_call({.call = name, .kind = "library", .stream = stream, .work = work});
    }
    ~LibraryCall() { simt_open_shield(0); }
    LibraryCall(const LibraryCall&) = delete;
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
