// The prologue and epilogue that every function of the host API shares.
#pragma once
#include "api_log.h"
#include "cuda_runtime_api.h"
#include "execution.h"

namespace simt {

inline cudaError_t failed(int error) { return cudaError_t(set_error(error)); }

// Records the call and answers it; a failure becomes the thread's last error.
inline cudaError_t answer(ApiCall call, int error) {
    call.error = error;
    log_api_call(call);
    return failed(error);
}

}  // namespace simt
