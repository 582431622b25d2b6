// The calls of the CUDA runtime API that learner code made: copies, synchronisation, allocations.
#pragma once
#include <stdint.h>

namespace simt {

struct ApiCall {
    const char* call;
    const char* kind;      // h2d d2h d2d h2h memset alloc free sync
    uint64_t bytes = 0;
    const void* stream = nullptr;
    int error = 0;
};
void log_api_call(const ApiCall& call);
void forget_records();

}  // namespace simt
