// The calls of libraries that are not part of the runtime (cuSOLVER's is linked with PyTorch).
#include <memory>

#include "library_call.h"

using namespace simt;

namespace {
thread_local std::unique_ptr<LibraryCall> current;
}

void simt_begin_library_call(const char* name, void* stream, double operations) {
    current = std::make_unique<LibraryCall>(name, static_cast<cudaStream_t>(stream), operations);
}
void simt_end_library_call(void) { current.reset(); }
