// The error state of the runtime API, with CUDA's semantics. An error is the calling thread's last error until
// cudaGetLastError returns it. A fault of a kernel is also sticky: every later call that needs the device returns it, and sets
// it again. On a GPU it surfaces at some later call; here, where a launch is complete when it returns, at the next one, so
// that a check after the launch sees it. With CUDA_LAUNCH_BLOCKING=1 the launch itself returns it, as on a GPU.
#include <atomic>

#include "execution.h"

namespace simt {

static __thread int last_error __attribute__((tls_model("initial-exec")));
static std::atomic<int> sticky{0};

int set_error(int error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
    return error;
}

void set_sticky_error(int error) {
    int none = 0;
    sticky.compare_exchange_strong(none, error);  // the first fault is the cause of all others
}

int sticky_error() { return sticky.load(); }

}  // namespace simt

using namespace simt;

extern "C" {
int simt_last_error(int clear) {
    int error = last_error;
    if (clear) last_error = 0;
    return error;
}

int simt_sticky_error(void) { return sticky_error(); }

const char* simt_error_name(int error) {
    switch (error) {
#define CUDA_ERROR(name, value, text) \
    case value: return #name;
#include "cuda_error_list.h"
#undef CUDA_ERROR
    }
    return "unrecognized error code";
}

const char* simt_error_string(int error) {
    switch (error) {
#define CUDA_ERROR(name, value, text) \
    case value: return text;
#include "cuda_error_list.h"
#undef CUDA_ERROR
    }
    return "unrecognized error code";
}

cudaError_t cudaGetLastError(void) { return cudaError_t(simt_last_error(1)); }
cudaError_t cudaPeekAtLastError(void) { return cudaError_t(simt_last_error(0)); }
const char* cudaGetErrorName(cudaError_t error) { return simt_error_name(error); }
const char* cudaGetErrorString(cudaError_t error) { return simt_error_string(error); }
}

namespace simt {
void forget_errors() {
    last_error = 0;
    sticky = 0;
}
}  // namespace simt
