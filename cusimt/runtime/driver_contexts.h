// Contexts of the driver API: each thread has a stack of them. A device's primary context is what the runtime API uses. Memory,
// streams and events belong to the device here, whichever context made them; modules belong to their context.
#pragma once
#include "cuda.h"
#include "execution.h"

struct CUctx_st {
    int device;
    bool is_primary;
    unsigned flags = 0;
    int uses = 0;  // of a primary context: how often it is retained
};

namespace simt {

// The runtime API was used on this thread: where no context is current, the primary one of the current device becomes it.
void use_primary_context();
// The same, and where another primary context is current.
void use_primary_context_of(int device);
// cudaSetDevice: the primary context of the device takes the place of the one that is current.
void leave_contexts();

bool is_driver_initialised();
CUcontext current_context();         // null: none
bool is_context(CUcontext context);  // and has not been destroyed
CUcontext primary_context(int device);

// What stands before a call: that of a fault in a kernel, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT, or nothing.
CUresult refuse_driver_call();

// What a function of the runtime API answers; that API's last error stays what it was.
template <class Call>
CUresult answer_of(Call call) {
    int before = simt_last_error(1);
    auto result = static_cast<CUresult>(call());
    simt_last_error(1);
    set_error(before);
    return result;
}

// A call of the driver API that a function of the runtime API does.
template <class Call>
CUresult driver_call(Call call) {
    CUresult refused = refuse_driver_call();
    return refused ? refused : answer_of(call);
}

}  // namespace simt
