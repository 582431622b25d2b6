// The calls of the CUDA runtime API that a program makes: copies, synchronisation, allocations.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "ordering.h"

namespace simt {

struct ApiCall {
    const char* call;
    const char* kind;  // h2d d2h d2d h2h memset alloc free sync library setup handle
    uint64_t bytes = 0;
    const void* stream = nullptr;
    int error = 0;
    uint64_t content = 0;    // digest of the bytes that crossed between host and device
    uint64_t by_kernel = 0;  // how many of the bytes that left the device a kernel had written last
    Submitted work{};        // of a copy or fill, as work on its stream
};
uint64_t digest(const void* bytes, size_t count, uint64_t before = 0);  // of a sequence, `before` that of what precedes
void log_api_call(const ApiCall& call);
void forget_records();

}  // namespace simt
