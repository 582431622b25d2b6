// What the calls of libraries share, also those that are not part of the runtime (cuSOLVER's is linked with PyTorch).
#include <atomic>
#include <memory>

#include "library_call.h"

using namespace simt;

namespace {
thread_local std::unique_ptr<LibraryCall> current;
std::atomic<int> until_refused = 0;  // simt_refuse_library_call: calls up to the refused one, itself included; 0: none is
thread_local bool is_refused = false;
}  // namespace

namespace simt {

bool begin_refused() {
    int left = until_refused;
    while (left > 0 && !until_refused.compare_exchange_weak(left, left - 1)) {
    }
    return is_refused = left == 1;
}
void end_refused() { is_refused = false; }

}  // namespace simt

void simt_begin_library_call(const char* name, void* stream, double operations) {
    current = std::make_unique<LibraryCall>(name, static_cast<cudaStream_t>(stream), operations);
}
void simt_end_library_call(void) { current.reset(); }
int simt_library_call_fails(void) { return is_refused || simt_sticky_error(); }
void simt_refuse_library_call(int which) { until_refused = which; }
